import { resolve } from 'node:path'
import { creditsSettings } from '@prelude/credits'
import {
  gatewayContradictions,
  gatewayProgram,
  gatewaySettings,
  isReal,
  operatorPassword,
} from '@prelude/gateway'
import { alertSettings, notifierSettings, pushContradictions, pushSettings } from '@prelude/notifier'
import { paymentsContradictions, paymentsSettings, takesPayments } from '@prelude/payments'
import {
  ConfigError,
  integer,
  isLoopback,
  logLevel,
  optional,
  readConfig,
  type Setting,
  setting,
  STAND_IN_GENERATOR,
  tracingSettings,
  trialValues,
} from '@prelude/platform'
import { songsSettings } from '@prelude/songs'
import { generatorSettings } from '@prelude/storage'

const withDefault = <T, D>(setting: Setting<T>, fallback: D): Setting<T | D> => ({ ...setting, fallback })
const withoutDefault = <T>(setting: Setting<T>): Setting<T | null> => withDefault(setting, null)
const withTrial = <S extends Setting<string> & { trial: string }>(setting: S) => ({
  ...setting,
  fallback: setting.trial,
})

/**
 * Every setting of the embedded product, as in .env.example. All are optional here. Those of services are
 * theirs, so that they are judged alike in every shape.
 */
export const SETTINGS = {
  port: setting('PORT', 'port of the web app', integer(1, 65_535), 8080),
  publicHost: withoutDefault(gatewayProgram.settings.publicHost),
  publicUrl: withoutDefault(gatewaySettings.publicUrl),
  dataDir: setting('DATA_DIR', 'folder of all data', (v: string) => resolve(v), resolve('data')),
  logLevel,
  ...creditsSettings,
  ...songsSettings,
  brandName: gatewaySettings.brandName,
  supportEmail: withTrial(gatewaySettings.supportEmail),
  operatorEmail: withTrial(gatewaySettings.operatorEmail),
  securityContact: gatewaySettings.securityContact,
  operatorUid: withoutDefault(gatewaySettings.operatorUid),
  operatorPassword: optional('OPERATOR_PASSWORD', 'made at first start when not given', operatorPassword),
  operatorPasswordHash: withoutDefault(gatewaySettings.operatorPasswordHash),
  bankName: withTrial(gatewaySettings.bankName),
  bankAccountName: withTrial(gatewaySettings.bankAccountName),
  bankAccountNumber: withTrial(gatewaySettings.bankAccountNumber),
  bankNote: gatewaySettings.bankNote,
  termsFile: gatewaySettings.termsFile,
  privacyFile: gatewaySettings.privacyFile,
  imprintFile: gatewaySettings.imprintFile,
  rateLimits: gatewaySettings.rateLimits,
  confirmAboveCents: gatewaySettings.confirmAboveCents,
  trustedCountryHeader: gatewaySettings.trustedCountryHeader,
  trustedProxyHops: gatewaySettings.trustedProxyHops,
  oidcIssuer: withoutDefault(gatewaySettings.oidcIssuer),
  oidcClientId: withoutDefault(gatewaySettings.oidcClientId),
  oidcClientSecret: withoutDefault(gatewaySettings.oidcClientSecret),
  oidcProviderName: withDefault(gatewaySettings.oidcProviderName, 'Google'),
  oidcTrustEmails: gatewaySettings.oidcTrustEmails,
  stripeSecretKey: withoutDefault(paymentsSettings.stripeSecretKey),
  stripeWebhookSecret: withoutDefault(paymentsSettings.stripeWebhookSecret),
  paystackSecretKey: paymentsSettings.paystackSecretKey,
  ...generatorSettings,
  smtpUrl: { ...withoutDefault(notifierSettings.mailUrl), env: 'SMTP_URL' },
  mailFrom: notifierSettings.mailFrom,
  ...alertSettings,
  ...pushSettings,
  ...tracingSettings,
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

function contradictions(read: ReturnType<typeof readConfig<typeof SETTINGS>>): string[] {
  const settings = { ...read, oidcPublicIssuer: null, stripeApiUrl: null }
  const problems = [
    ...gatewayContradictions(settings),
    ...paymentsContradictions(settings),
    ...pushContradictions(settings),
  ]
  const mailsElsewhere = settings.smtpUrl !== null && !isLoopback(settings.smtpUrl)
  if (isReal(settings) || takesPayments(settings) || mailsElsewhere)
    problems.push(...trialValues(SETTINGS, settings))
  const oidc = [settings.oidcIssuer, settings.oidcClientId, settings.oidcClientSecret]
  if (oidc.some((value) => value !== null) && oidc.includes(null))
    problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET go together')
  if (settings.oidcIssuer !== null && settings.operatorUid === null)
    problems.push('OPERATOR_UID is missing (with a real identity provider nobody is the operator by default)')
  if (settings.stripeSecretKey !== null && settings.stripeWebhookSecret === null)
    problems.push('STRIPE_WEBHOOK_SECRET is missing (it comes from Stripe with the webhook endpoint)')
  if (settings.operatorPassword !== null && settings.operatorPasswordHash !== null)
    problems.push('OPERATOR_PASSWORD and OPERATOR_PASSWORD_HASH are both set')
  if (settings.publicHost !== null && usesStandIns(settings) && !LOOPBACK.includes(settings.publicHost))
    problems.push(`PUBLIC_HOST must be one of ${LOOPBACK.join(', ')} while a stand-in is in use`)
  return problems
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/** Stand-ins authenticate nobody, so while one is in use the product listens on loopback only. */
const usesStandIns = (
  settings: Pick<Settings, 'oidcIssuer' | 'stripeSecretKey' | 'smtpUrl' | 'generatorUrl'>,
): boolean =>
  settings.oidcIssuer === null ||
  settings.stripeSecretKey === null ||
  settings.smtpUrl === null ||
  settings.generatorUrl === STAND_IN_GENERATOR

/** The address that the public port listens on. */
export const publicHostOf = (settings: Settings): string =>
  settings.publicHost ?? (usesStandIns(settings) ? 'localhost' : '0.0.0.0')
