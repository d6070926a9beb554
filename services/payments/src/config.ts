import {
  optional,
  productSettings,
  type Program,
  providerSecret,
  rateLimits,
  setting,
  url,
} from '@prelude/platform'
import { paymentsContradictions } from './contradictions.ts'

const stripeKey = providerSecret(/^[sr]k_[\w-]+$/, 'sk_ or rk_ at its beginning')
const stripeWebhookSecret = providerSecret(/^whsec_[\w+/=-]+$/, 'whsec_ at its beginning')
const paystackKey = providerSecret(/^sk_[\w-]+$/, 'sk_ at its beginning')

/** The settings of payments; secrets have no defaults. */
export interface PaymentsConfig {
  /** The address people see, without a slash at the end; they come back to it from the checkout. */
  readonly publicUrl: string
  readonly stripe: {
    readonly secretKey: string
    readonly webhookSecret: string
    /** Null: Stripe itself. */
    readonly apiUrl: string | null
    /** The address of the checkout page for browsers, when it differs from the one that the provider's API states. */
    readonly publicCheckoutUrl?: string | null
  }
  /** Null: the alternate provider is off (decision 1). */
  readonly paystackSecretKey: string | null
  /** Left out: Paystack itself. */
  readonly paystackApiUrl?: string
}

export const paymentsSettings = {
  publicUrl: productSettings.publicUrl,
  /** Judged beside the keys of Stripe, which the gateway has not. */
  rateLimits,
  stripeSecretKey: setting('STRIPE_SECRET_KEY', "Stripe's secret key", stripeKey),
  stripeWebhookSecret: setting('STRIPE_WEBHOOK_SECRET', "signs Stripe's webhooks", stripeWebhookSecret),
  stripeApiUrl: optional('STRIPE_API_URL', 'another server with the API of Stripe', url),
  paystackSecretKey: optional('PAYSTACK_SECRET_KEY', 'turns the alternate payment provider on', paystackKey),
}

export const paymentsProgram: Program<typeof paymentsSettings> = {
  service: 'payments',
  settings: paymentsSettings,
  contradictions: paymentsContradictions,
  calls: [],
}
