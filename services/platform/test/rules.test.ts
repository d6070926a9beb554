import { expect, test } from 'vitest'
import { readConfig, text } from '../src/host/config.ts'
import {
  contradictions,
  providerSecret,
  internalSecret,
  paystackKey,
  publicOrigin,
  STAND_IN,
  stripeKey,
  TRIAL,
  stripeWebhookSecret,
  withoutTls,
} from '../src/host/rules.ts'

test('people use an origin of https, or of this machine', () => {
  for (const address of [
    'http://songs.example',
    'http://10.0.0.1',
    'ftp://localhost',
    'https://songs.example/app',
    'songs.example',
  ])
    expect(() => publicOrigin(address)).toThrow('must be')
  for (const address of [
    'https://songs.example',
    'http://localhost:8080',
    'http://127.0.0.1:1',
    'http://[::1]:1',
  ])
    expect(publicOrigin(`${address}/`)).toBe(address)
})

const RANDOM = 'abcdefghijklmnopqrstuvwxyz012345'

test('a secret of our own is long, and one from somebody else looks like theirs', () => {
  expect(internalSecret(RANDOM)).toBe(RANDOM)
  for (const bad of ['x', RANDOM.slice(1), '32 random bytes, the same for all services'])
    expect(() => internalSecret(bad)).toThrow('32 characters')
  for (const [rule, good, bad] of [
    [stripeKey, 'sk_live_1', 'pk_live_1'],
    [stripeKey, 'rk_test_1-_', 'from Stripe'],
    [stripeWebhookSecret, 'whsec_a/b+c=', 'from Stripe, with the webhook endpoint'],
    [paystackKey, 'sk_test_1', 'rk_test_1'],
    [providerSecret(), 'GOCSPX-1', 'from the identity provider'],
  ] as const) {
    expect(rule(good)).toBe(good)
    expect(() => rule(bad)).toThrow('must be the real one')
  }
})

test('a setting that still has the text of an example is refused, whatever it is', () => {
  const settings = { key: { env: 'KEY', means: 'a key', parse: text } }
  expect(() => readConfig(settings, { KEY: 's3://CHANGE-ME@store' })).toThrow(
    'KEY still has the text of the example',
  )
})

test('settings that contradict each other are refused', () => {
  const local = 'http://localhost:8080'
  const far = 'https://songs.example'
  expect(
    contradictions({ publicUrl: local, rateLimits: false, oidcIssuer: 'http://127.0.0.1:8081' }),
  ).toEqual([])
  expect(contradictions({ publicUrl: far, rateLimits: true, oidcIssuer: 'https://idp.example' })).toEqual([])
  expect(contradictions({ oidcIssuer: 'http://identity:8081', oidcPublicIssuer: local })).toEqual([])
  expect(contradictions({ publicUrl: far, rateLimits: false })).toEqual([
    expect.stringContaining('RATE_LIMITS'),
  ])
  expect(contradictions({ oidcIssuer: 'http://idp.example' })).toEqual([
    expect.stringContaining('OIDC_ISSUER'),
  ])
  expect(
    contradictions({ oidcIssuer: 'http://identity:8081', oidcPublicIssuer: 'http://idp.example' }),
  ).toHaveLength(2)
})

const OIDC = { oidcIssuer: 'https://idp.example', oidcClientSecret: 'x' }
const ISSUER = { oidcIssuer: 'https://idp.example', oidcClientSecret: 'x'.repeat(16) }
const STRIPE = { stripeSecretKey: 'sk_live_51234567890123456', stripeWebhookSecret: 'whsec_1234567890123456' }
const REFUSED: [Parameters<typeof contradictions>[0], string][] = [
  [OIDC, 'OIDC_CLIENT_SECRET'],
  [{ ...STRIPE, stripeSecretKey: 'sk_x' }, 'STRIPE_SECRET_KEY'],
  [{ ...STRIPE, stripeSecretKey: 'rk_test_123456789012345' }, 'STRIPE_SECRET_KEY'],
  [{ ...STRIPE, stripeWebhookSecret: 'whsec_x' }, 'STRIPE_WEBHOOK_SECRET'],
  [
    { ...STRIPE, stripeWebhookSecret: 'whsec_x', stripeApiUrl: 'https://pay.example' },
    'STRIPE_WEBHOOK_SECRET',
  ],
  [{ publicUrl: 'https://songs.example', paystackSecretKey: 'sk_x' }, 'PAYSTACK_SECRET_KEY'],
  [{ ...STRIPE, stripeApiUrl: 'http://pay.example' }, 'STRIPE_API_URL must be https'],
  [{ ...STRIPE, rateLimits: false }, 'RATE_LIMITS=off'],
  [{ ...STRIPE, stripeApiUrl: 'https://pay.example', rateLimits: false }, 'RATE_LIMITS=off'],
  [{ ...STRIPE, stripeSecretKey: 'sk_test_1234567890123456', rateLimits: false }, 'RATE_LIMITS=off'],
  [
    { publicUrl: 'https://songs.example', trustedCountryHeader: 'x-country', trustedProxyHops: 0 },
    'TRUSTED_COUNTRY_HEADER',
  ],
  [{ ...ISSUER, oidcProviderName: STAND_IN.OIDC_PROVIDER_NAME }, 'OIDC_PROVIDER_NAME'],
  [{ ...ISSUER, operatorUid: STAND_IN.OPERATOR_UID }, 'OPERATOR_UID'],
  [{ ...ISSUER, oidcPublicIssuer: 'http://localhost:9' }, 'OIDC_PUBLIC_ISSUER'],
]
const FINE: Parameters<typeof contradictions>[0][] = [
  { ...ISSUER, oidcProviderName: 'Google', operatorUid: 'mine' },
  { oidcIssuer: 'http://localhost:9', oidcClientSecret: 'x' },
  {
    oidcIssuer: 'http://identity:8081',
    oidcPublicIssuer: 'http://localhost:9',
    oidcClientSecret: 'x',
    oidcProviderName: STAND_IN.OIDC_PROVIDER_NAME,
    operatorUid: STAND_IN.OPERATOR_UID,
  },
  STRIPE,
  { stripeWebhookSecret: 'whsec_test', stripeSecretKey: null },
  { stripeWebhookSecret: 'whsec_x', stripeSecretKey: 'sk_x', stripeApiUrl: 'http://127.0.0.1:9' },
  { ...STRIPE, stripeApiUrl: 'http://127.0.0.1:9' },
  {
    ...STRIPE,
    stripeSecretKey: 'sk_test_1234567890123456',
    stripeApiUrl: 'http://checkout:8082',
    rateLimits: false,
  },
  { publicUrl: 'http://localhost:8080', paystackSecretKey: 'sk_x', supportEmail: TRIAL.SUPPORT_EMAIL },
  { publicUrl: 'http://localhost:8080', trustedCountryHeader: 'x-country', trustedProxyHops: 0 },
  { publicUrl: 'https://songs.example', trustedCountryHeader: 'x-country', trustedProxyHops: 1 },
  { publicUrl: 'http://localhost:8080', supportEmail: TRIAL.SUPPORT_EMAIL, smtpUrl: 'smtp://127.0.0.1:25' },
  { publicUrl: 'https://songs.example', supportEmail: 'help@songs.example', bankAccountNumber: '0123456780' },
]
test('with providers and callers elsewhere secrets must be real, and headers of a proxy need one', () => {
  expect(REFUSED.map(([settings]) => [settings, contradictions(settings)])).toEqual(
    REFUSED.map(([settings, name]) => [settings, [expect.stringContaining(name)]]),
  )
  expect(FINE.filter((settings) => contradictions(settings).length > 0)).toEqual([])
})

const REAL: Parameters<typeof contradictions>[0][] = [
  { publicUrl: 'https://songs.example' },
  { oidcIssuer: 'https://idp.example' },
  STRIPE,
  { publicUrl: 'http://localhost:8080', paystackSecretKey: 'sk_test_0123456789abcdef' },
  { smtpUrl: 'smtps://a:b@mail.example' },
]
test('addresses and accounts of a trial are refused together with anything real', () => {
  const trial = {
    supportEmail: TRIAL.SUPPORT_EMAIL,
    operatorEmail: TRIAL.OPERATOR_EMAIL,
    bankName: TRIAL.BANK_NAME,
    bankAccountName: TRIAL.BANK_ACCOUNT_NAME,
    bankAccountNumber: TRIAL.BANK_ACCOUNT_NUMBER,
  }
  const named = Object.keys(TRIAL).map((env) => expect.stringContaining(env) as string)
  expect(REAL.map((real) => contradictions({ ...real, ...trial }))).toEqual(REAL.map(() => named))
})

test('a database elsewhere must say how it is reached to be used without a warning', () => {
  const url = 'postgres://role:password@db.example:5432/prelude'
  const others = {
    here: 'postgres://r:p@127.0.0.1/x',
    socket: 'postgres://r:p@%2Ftmp/x',
    kv: 'rediss://db.example',
    port: 1,
  }
  expect(withoutTls({ ...others, db: url, kind: 'postgresql://db.example/x' })).toEqual(['db', 'kind'])
  expect(withoutTls({ db: `${url}?sslmode=verify-full`, closed: `${url}?sslmode=disable` })).toEqual([])
})
