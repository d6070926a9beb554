import { resolve } from 'node:path'
import { creditsSettings } from '@prelude/credits'
import { gatewaySettings } from '@prelude/gateway'
import { alertSettings, pushSettings } from '@prelude/notifier'
import { operatorPassword, passwordHash } from '@prelude/gateway'
import {
  ConfigError,
  contradictions as together,
  email,
  foreignSecret,
  integer,
  oneOf,
  paystackKey,
  publicOrigin,
  readConfig,
  stripeKey,
  stripeWebhookSecret,
  text,
  url,
} from '@prelude/platform'
import { songsSettings } from '@prelude/songs'

const headerName = (value: string): string => {
  if (!/^[A-Za-z0-9-]+$/.test(value)) throw new Error('must be the name of a header')
  return value.toLowerCase()
}

/** Every setting of the embedded product: one line of .env.example each. All are optional here. */
export const SETTINGS = {
  port: { env: 'PORT', means: 'port of the web app', parse: integer(1, 65_535), fallback: 8080 },
  publicUrl: {
    env: 'PUBLIC_URL',
    means: 'address people use, when a proxy stands in front',
    parse: publicOrigin,
    fallback: null as string | null,
  },
  dataDir: {
    env: 'DATA_DIR',
    means: 'folder of all data',
    parse: (v: string) => resolve(v),
    fallback: resolve('data'),
  },
  logLevel: {
    env: 'LOG_LEVEL',
    means: 'how much is logged',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'info' as const,
  },
  ...creditsSettings,
  ...songsSettings,
  brandName: { env: 'BRAND_NAME', means: 'name of the product', parse: text, fallback: 'Prelude' },
  supportEmail: {
    env: 'SUPPORT_EMAIL',
    means: 'shown to people',
    parse: email,
    fallback: 'support@prelude.test',
  },
  operatorEmail: {
    env: 'OPERATOR_EMAIL',
    means: 'where requests are announced',
    parse: email,
    fallback: 'operator@prelude.test',
  },
  securityContact: {
    env: 'SECURITY_CONTACT',
    means: 'where to report vulnerabilities, https: or mailto:; OPERATOR_EMAIL if not given',
    parse: url,
    fallback: null as string | null,
  },
  operatorUid: {
    env: 'OPERATOR_UID',
    means: 'uid of the operator (/api/me shows yours)',
    parse: text,
    fallback: null as string | null,
  },
  operatorPassword: {
    env: 'OPERATOR_PASSWORD',
    means: 'made at first start when not given',
    parse: operatorPassword,
    fallback: null as string | null,
  },
  operatorPasswordHash: {
    env: 'OPERATOR_PASSWORD_HASH',
    means: 'in place of the password, so that no file here holds it',
    parse: passwordHash,
    fallback: null as string | null,
  },
  bankName: {
    env: 'BANK_NAME',
    means: 'bank for Naira transfers',
    parse: text,
    fallback: 'Prelude Test Bank',
  },
  bankAccountName: {
    env: 'BANK_ACCOUNT_NAME',
    means: 'account holder',
    parse: text,
    fallback: 'Prelude Music Ltd',
  },
  bankAccountNumber: {
    env: 'BANK_ACCOUNT_NUMBER',
    means: 'account number',
    parse: text,
    fallback: '0123456789',
  },
  bankNote: {
    env: 'BANK_NOTE',
    means: 'what a person should know about transfers',
    parse: text,
    fallback: 'Credits are added within an hour.',
  },
  termsFile: gatewaySettings.termsFile,
  privacyFile: gatewaySettings.privacyFile,
  imprintFile: gatewaySettings.imprintFile,
  rateLimits: {
    env: 'RATE_LIMITS',
    means: 'off for tests only',
    parse: (value: string) => oneOf('on', 'off')(value) === 'on',
    fallback: true,
  },
  confirmAboveCents: gatewaySettings.confirmAboveCents,
  trustedCountryHeader: {
    env: 'TRUSTED_COUNTRY_HEADER',
    means: 'header in which a trusted CDN gives the country code',
    parse: headerName,
    fallback: null as string | null,
  },
  trustedProxyHops: {
    env: 'TRUSTED_PROXY_HOPS',
    means: 'proxies in front whose x-forwarded-for is believed',
    parse: integer(0, 10),
    fallback: 0,
  },
  oidcIssuer: {
    env: 'OIDC_ISSUER',
    means: 'a real identity provider, e.g. https://accounts.google.com',
    parse: url,
    fallback: null as string | null,
  },
  oidcClientId: {
    env: 'OIDC_CLIENT_ID',
    means: 'its client id',
    parse: text,
    fallback: null as string | null,
  },
  oidcClientSecret: {
    env: 'OIDC_CLIENT_SECRET',
    means: 'its client secret',
    parse: foreignSecret(),
    fallback: null as string | null,
  },
  oidcProviderName: {
    env: 'OIDC_PROVIDER_NAME',
    means: 'its name on the sign-in button; part of every uid, so never change it',
    parse: text,
    fallback: 'Google',
  },
  stripeSecretKey: {
    env: 'STRIPE_SECRET_KEY',
    means: 'real card payments',
    parse: stripeKey,
    fallback: null as string | null,
  },
  stripeWebhookSecret: {
    env: 'STRIPE_WEBHOOK_SECRET',
    means: 'signs webhooks; made at first start when not given',
    parse: stripeWebhookSecret,
    fallback: null as string | null,
  },
  paystackSecretKey: {
    env: 'PAYSTACK_SECRET_KEY',
    means: 'turns the alternate payment provider on',
    parse: paystackKey,
    fallback: null as string | null,
  },
  smtpUrl: {
    env: 'SMTP_URL',
    means: 'a real mail server, smtp(s)://user:pass@host',
    parse: url,
    fallback: null as string | null,
  },
  mailFrom: { env: 'MAIL_FROM', means: 'sender of mails', parse: text, fallback: null as string | null },
  ...alertSettings,
  ...pushSettings,
}

export type Settings = Omit<ReturnType<typeof readConfig<typeof SETTINGS>>, 'publicUrl'> & {
  readonly publicUrl: string
}

/** Errors: ConfigError, one sentence that names everything wrong. */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const settings = readConfig(SETTINGS, env)
  const problems = contradictions(settings)
  if (problems.length > 0) throw new ConfigError(`Bad settings: ${problems.join('; ')}.`)
  return Object.freeze({ ...settings, publicUrl: settings.publicUrl ?? `http://localhost:${settings.port}` })
}

function contradictions(settings: ReturnType<typeof readConfig<typeof SETTINGS>>): string[] {
  const problems = together({ ...settings, issuer: settings.oidcIssuer })
  const oidc = [settings.oidcIssuer, settings.oidcClientId, settings.oidcClientSecret]
  if (oidc.some((value) => value !== null) && oidc.includes(null))
    problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET go together')
  if (settings.oidcIssuer !== null && settings.operatorUid === null)
    problems.push('OPERATOR_UID is missing (with a real identity provider nobody is the operator by default)')
  if (settings.stripeSecretKey !== null && settings.stripeWebhookSecret === null)
    problems.push('STRIPE_WEBHOOK_SECRET is missing (it comes from Stripe with the webhook endpoint)')
  if (settings.stripeSecretKey !== null && !settings.rateLimits)
    problems.push('RATE_LIMITS=off is refused together with real Stripe keys')
  if (settings.operatorPassword !== null && settings.operatorPasswordHash !== null)
    problems.push('OPERATOR_PASSWORD and OPERATOR_PASSWORD_HASH are both set')
  return problems
}

/** Stand-ins authenticate nobody, so while one is in use the product listens on loopback only. */
export const usesStandIns = (settings: Settings): boolean =>
  settings.oidcIssuer === null || settings.stripeSecretKey === null || settings.smtpUrl === null
