import { SERVICE_NAMES } from '@prelude/contracts'
import { gatewaySettings } from '@prelude/gateway'
import { expect, test } from 'vitest'
import { settingsFor, start } from './service-alone.ts'

/** Settings of the gateway that may have any text. */
const TEXTS = [
  ...['BRAND_NAME', 'OPERATOR_UID', 'OIDC_CLIENT_ID', 'OIDC_PROVIDER_NAME'],
  ...['BANK_NAME', 'BANK_ACCOUNT_NAME', 'BANK_ACCOUNT_NUMBER', 'WEB_ROOT'],
]

test('settings that are fine by themselves and not together are refused', () => {
  const local = 'postgres://prelude_songs:p@127.0.0.1/x'
  const env = {
    ...settingsFor('songs'),
    DATABASE_URL: local,
    BUS_URL: local,
    INTERNAL_PORT: '1',
    TLS_CERT: 'x',
  }
  expect(start('songs', env).stderr).toBe('Bad settings: TLS_CERT and TLS_KEY go together.\n')
  const payments = {
    ...settingsFor('payments'),
    DATABASE_URL: local,
    BUS_URL: local,
    INTERNAL_PORT: '1',
    PUBLIC_URL: 'http://localhost:8080',
    STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    RATE_LIMITS: 'off',
  }
  expect(start('payments', payments).stderr).toBe(
    'Bad settings: RATE_LIMITS=off is refused together with real Stripe keys.\n',
  )
  const gateway = {
    ...settingsFor('gateway'),
    ...Object.fromEntries(SERVICE_NAMES.map((name) => [`${name.toUpperCase()}_URL`, 'http://127.0.0.1:1'])),
    ...Object.fromEntries(TEXTS.map((name) => [name, 'any text'])),
    DATABASE_URL: local,
    BUS_URL: local,
    KV_URL: local,
    PORT: '1',
    INTERNAL_PORT: '1',
    PUBLIC_URL: 'https://songs.example',
    OPERATOR_PASSWORD_HASH: 'scrypt$131072$8$1$aaaaaaaaaaaaaaaaaaaaaa$aaaaaaaaaaaaaaaaaaaaaa',
    SUPPORT_EMAIL: gatewaySettings.supportEmail.trial,
    OPERATOR_EMAIL: 'studio@songs.example',
    OIDC_CLIENT_SECRET: 'GOCSPX-1234567890',
    OIDC_ISSUER: 'http://idp.example',
    RATE_LIMITS: 'off',
    TRUSTED_COUNTRY_HEADER: 'cf-ipcountry',
  }
  expect(start('gateway', gateway).stderr).toBe(
    'Bad settings: TRUSTED_COUNTRY_HEADER is refused with TRUSTED_PROXY_HOPS=0: anybody could send it; RATE_LIMITS=off is refused unless PUBLIC_URL is on this machine; OIDC_ISSUER must be https, or http on localhost; SUPPORT_EMAIL must be your own, since not all is on this machine.\n',
  )
})
