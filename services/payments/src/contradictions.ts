import { isLoopback, isSafe, isShort, shortSecrets } from '@prelude/platform'

interface Related {
  /** Null: an address of this machine. */
  readonly publicUrl: string | null
  readonly rateLimits: boolean
  /** Null: the stand-in of `make start`. */
  readonly stripeSecretKey: string | null
  readonly stripeWebhookSecret: string | null
  /** Null: Stripe itself. */
  readonly stripeApiUrl: string | null
  readonly paystackSecretKey: string | null
}

/** Contradictions between settings of payments, a sentence each. */
export function paymentsContradictions(settings: Related): string[] {
  const { publicUrl, rateLimits, stripeApiUrl, stripeSecretKey: key } = settings
  const problems: string[] = []
  if (hasStripe(settings))
    problems.push(
      ...shortSecrets({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: settings.stripeWebhookSecret }),
    )
  // its address cannot be configured, so there is no stand-in: the address of the product decides
  if (publicUrl !== null && !isLoopback(publicUrl))
    problems.push(...shortSecrets({ PAYSTACK_SECRET_KEY: settings.paystackSecretKey }))
  // a server between us and Stripe is no stand-in when it gets a live key
  if (!rateLimits && key !== null && (isLive(key) || stripeApiUrl === null))
    problems.push('RATE_LIMITS=off is refused together with real Stripe keys')
  if (stripeApiUrl !== null && !isSafe(stripeApiUrl) && isLive(key))
    problems.push('STRIPE_API_URL must be https, or http on localhost, with a live STRIPE_SECRET_KEY')
  return problems
}

type Providers = Pick<Related, 'stripeSecretKey' | 'stripeApiUrl' | 'paystackSecretKey'>

/** Whether payments go to a provider; a short key of Paystack is that of a test. */
export const takesPayments = (settings: Providers): boolean =>
  hasStripe(settings) || (settings.paystackSecretKey !== null && !isShort(settings.paystackSecretKey))

const hasStripe = ({ stripeSecretKey, stripeApiUrl }: Omit<Providers, 'paystackSecretKey'>): boolean =>
  stripeSecretKey !== null && (stripeApiUrl === null || !isLoopback(stripeApiUrl))

const isLive = (key: string | null): boolean => /^[sr]k_live_/.test(key ?? '')
