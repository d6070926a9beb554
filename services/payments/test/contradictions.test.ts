import { expect, test } from 'vitest'
import { paymentsSettings } from '../src/config.ts'
import { paymentsContradictions } from '../src/contradictions.ts'

type Settings = Parameters<typeof paymentsContradictions>[0]

/** As `make start` has them where nothing is set. */
const NONE: Settings = {
  publicUrl: null,
  rateLimits: true,
  stripeSecretKey: null,
  stripeWebhookSecret: null,
  stripeApiUrl: null,
  paystackSecretKey: null,
}
const LIVE = { stripeSecretKey: 'sk_live_51234567890123456', stripeWebhookSecret: 'whsec_1234567890123456' }
const TEST = { ...LIVE, stripeSecretKey: 'sk_test_1234567890123456' }

const REFUSED: [Partial<Settings>, string][] = [
  [{ ...LIVE, stripeSecretKey: 'sk_x' }, 'STRIPE_SECRET_KEY must be the real one'],
  [{ ...LIVE, stripeSecretKey: 'rk_test_123456789012345' }, 'STRIPE_SECRET_KEY must be the real one'],
  [{ ...LIVE, stripeWebhookSecret: 'whsec_x' }, 'STRIPE_WEBHOOK_SECRET'],
  [{ ...LIVE, stripeWebhookSecret: 'whsec_x', stripeApiUrl: 'https://pay.example' }, 'STRIPE_WEBHOOK_SECRET'],
  [{ publicUrl: 'https://songs.example', paystackSecretKey: 'sk_x' }, 'PAYSTACK_SECRET_KEY'],
  [{ ...LIVE, stripeApiUrl: 'http://pay.example' }, 'STRIPE_API_URL must be https'],
  [{ ...LIVE, rateLimits: false }, 'RATE_LIMITS=off'],
  [{ ...LIVE, stripeApiUrl: 'https://pay.example', rateLimits: false }, 'RATE_LIMITS=off'],
  [{ ...TEST, rateLimits: false }, 'RATE_LIMITS=off'],
]
const FINE: Partial<Settings>[] = [
  {},
  LIVE,
  { ...LIVE, stripeApiUrl: 'http://127.0.0.1:9' },
  { stripeWebhookSecret: 'whsec_test', rateLimits: false },
  { stripeWebhookSecret: 'whsec_x', stripeSecretKey: 'sk_x', stripeApiUrl: 'http://127.0.0.1:9' },
  { ...TEST, stripeApiUrl: 'http://checkout:8082', rateLimits: false },
  { publicUrl: 'http://localhost:8080', paystackSecretKey: 'sk_x' },
]
test('where a provider is real, so are its secrets and the limits', () => {
  expect(REFUSED.map(([settings]) => paymentsContradictions({ ...NONE, ...settings }))).toEqual(
    REFUSED.map(([, name]) => [expect.stringContaining(name)]),
  )
  expect(FINE.flatMap((settings) => paymentsContradictions({ ...NONE, ...settings }))).toEqual([])
})

test('keys of providers look like theirs', () => {
  const { stripeSecretKey, stripeWebhookSecret, paystackSecretKey } = paymentsSettings
  expect(stripeWebhookSecret.parse('whsec_a/b+c=')).toBe('whsec_a/b+c=')
  expect(() => stripeSecretKey.parse('pk_live_1')).toThrow('must be the real one')
  expect(() => stripeWebhookSecret.parse('from Stripe')).toThrow('must be the real one')
  expect(() => paystackSecretKey.parse('rk_test_1')).toThrow('must be the real one')
})
