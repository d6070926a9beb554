import { createECDH } from 'node:crypto'
import { isLoopback } from '../loopback.ts'

/** Rules for settings that hold in every shape: `make start`, a service that runs alone, containers. */

const isSafe = (address: string): boolean =>
  address.startsWith('https:') || (address.startsWith('http:') && isLoopback(address))

/** An address that people use: https, or http on this machine. Answers its origin. */
export function publicOrigin(value: string): string {
  if (!URL.canParse(value)) throw new Error('must be a URL')
  const { protocol, pathname, search, hash, origin } = new URL(value)
  if (!['http:', 'https:'].includes(protocol) || pathname !== '/' || search || hash)
    throw new Error('must be an address without a path, like https://prelude.example')
  if (!isSafe(value)) throw new Error('must be https, or http on localhost')
  return origin
}

/** A secret of our own making. */
export function internalSecret(value: string): string {
  if (!/^\S{32,}$/.test(value)) throw new Error('must have 32 characters at least, and no white space')
  return value
}

/** A secret that a provider issued, of any length, and not the placeholder of an example. */
export const providerSecret =
  (pattern = /^(?!from |change|replace|your ).+$/i, hint = 'no text of an example') =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error(`must be the real one, with ${hint}`)
    return value
  }

export const stripeKey = providerSecret(/^[sr]k_[\w-]+$/, 'sk_ or rk_ at its beginning')
export const stripeWebhookSecret = providerSecret(/^whsec_[\w+/=-]+$/, 'whsec_ at its beginning')
export const paystackKey = providerSecret(/^sk_[\w-]+$/, 'sk_ at its beginning')

/** A key of web push (RFC 8292): a point of P-256 or its scalar, base64url. */
export const vapidKey =
  (which: 'public' | 'private') =>
  (value: string): string => {
    const form = which === 'public' ? /^B[\w-]{86}$/ : /^[\w-]{43}$/
    if (!form.test(value)) throw new Error(`must be the ${which} key of P-256, as base64url`)
    return value
  }

/** Lower-case. */
export function headerName(value: string): string {
  if (!/^[A-Za-z0-9-]+$/.test(value)) throw new Error('must be the name of a header')
  return value.toLowerCase()
}

/**
 * What a first try has in place of settings that only the product's owner can know: of `make start`, and of the `.env` that
 * `make containers` writes. Refused once anything real is configured (`contradictions`).
 */
export const TRIAL = {
  SUPPORT_EMAIL: 'support@prelude.test',
  OPERATOR_EMAIL: 'operator@prelude.test',
  BANK_NAME: 'Prelude Test Bank',
  BANK_ACCOUNT_NAME: 'Prelude Music Ltd',
  BANK_ACCOUNT_NUMBER: '0123456789',
}

/** Of the identity stand-in and of the operator there: `make containers` writes them too. Refused with a real issuer. */
export const STAND_IN = { OIDC_PROVIDER_NAME: 'Prelude ID', OPERATOR_UID: 'oM8pv4zVI56ictj9mDma2v' }

interface RelatedSettings {
  readonly publicUrl?: string | null
  readonly rateLimits?: boolean
  readonly oidcIssuer?: string | null
  readonly oidcPublicIssuer?: string | null
  readonly oidcClientSecret?: string | null
  readonly oidcProviderName?: string
  readonly operatorUid?: string | null
  readonly stripeSecretKey?: string | null
  readonly stripeWebhookSecret?: string | null
  readonly stripeApiUrl?: string | null
  readonly paystackSecretKey?: string | null
  readonly smtpUrl?: string | null
  readonly supportEmail?: string
  readonly operatorEmail?: string
  readonly bankName?: string
  readonly bankAccountName?: string
  readonly bankAccountNumber?: string
  readonly trustedCountryHeader?: string | null
  readonly trustedProxyHops?: number
  readonly vapidPublicKey?: string | null
  readonly vapidPrivateKey?: string | null
  readonly pushLoopback?: boolean
}

/** Contradictions between settings, a sentence each. */
export function contradictions(settings: RelatedSettings): string[] {
  const { publicUrl, rateLimits, pushLoopback = false, stripeApiUrl, stripeSecretKey } = settings
  const { oidcIssuer: issuer, oidcPublicIssuer: publicIssuer } = settings
  const { vapidPublicKey = null, vapidPrivateKey = null } = settings
  const problems = [...weakSecrets(settings), ...trialValues(settings)]
  if (settings.trustedCountryHeader && settings.trustedProxyHops === 0 && isPublic(settings))
    problems.push('TRUSTED_COUNTRY_HEADER is refused with TRUSTED_PROXY_HOPS=0: anybody could send it')
  if (rateLimits === false && isPublic(settings))
    problems.push('RATE_LIMITS=off is refused unless PUBLIC_URL is on this machine')
  if (rateLimits === false && isRealStripe(settings))
    problems.push('RATE_LIMITS=off is refused together with real Stripe keys')
  if (stripeApiUrl && !isSafe(stripeApiUrl) && isLive(stripeSecretKey))
    problems.push('STRIPE_API_URL must be https, or http on localhost, with a live STRIPE_SECRET_KEY')
  if (publicIssuer && !isSafe(publicIssuer))
    problems.push('OIDC_PUBLIC_ISSUER must be https, or http on localhost')
  if (hasRealIssuer(settings)) {
    if (publicIssuer && isLoopback(publicIssuer))
      problems.push('OIDC_PUBLIC_ISSUER must be empty with a real OIDC_ISSUER')
    // part of every uid: it cannot be corrected after the first sign-in
    if (settings.oidcProviderName === STAND_IN.OIDC_PROVIDER_NAME)
      problems.push('OIDC_PROVIDER_NAME must be that of your OIDC_ISSUER')
    if (settings.operatorUid === STAND_IN.OPERATOR_UID)
      problems.push('OPERATOR_UID must be your own, not that of the stand-in')
  }
  // the identity stand-in: browsers reach it on this machine, the gateway by the name of its container
  if (issuer && !isSafe(issuer) && !(publicIssuer && isLoopback(publicIssuer)))
    problems.push('OIDC_ISSUER must be https, or http on localhost')
  if (pushLoopback && publicUrl && !isLoopback(publicUrl))
    problems.push('PUSH_LOOPBACK=on is refused unless PUBLIC_URL is on this machine')
  if ((vapidPublicKey === null) !== (vapidPrivateKey === null))
    problems.push('VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY go together')
  else if (vapidPrivateKey !== null && publicKeyOf(vapidPrivateKey) !== vapidPublicKey)
    problems.push('VAPID_PUBLIC_KEY is not that of VAPID_PRIVATE_KEY')
  return problems
}

const isLoopbackUrl = (address: string | null | undefined): boolean => !!address && isLoopback(address)
const isRemoteUrl = (address: string | null | undefined): boolean => !!address && !isLoopback(address)

/**
 * Whether people elsewhere can use it. With the identity stand-in of `make start`, which `null` stands for, nobody can sign in
 * from another machine, whatever the public address.
 */
const isPublic = ({ publicUrl, oidcIssuer }: RelatedSettings): boolean =>
  isRemoteUrl(publicUrl) && oidcIssuer !== null

const isLive = (key: string | null | undefined): boolean => /^[sr]k_live_/.test(key ?? '')

/** Stripe itself, or a server between, which is no stand-in when it gets a live key. */
const isRealStripe = ({ stripeSecretKey: key, stripeApiUrl }: RelatedSettings): boolean =>
  isLive(key) || (!!key && !stripeApiUrl)

/** Not the identity stand-in of containers: there `issuer` names its container, and browsers reach it on this machine. */
const hasRealIssuer = ({ oidcIssuer, oidcPublicIssuer }: RelatedSettings): boolean =>
  isRemoteUrl(oidcIssuer) && !(oidcIssuer?.startsWith('http:') && isLoopbackUrl(oidcPublicIssuer))

/** Addresses and accounts of a trial beside something real: people would write, and pay, to nobody. */
function trialValues(settings: RelatedSettings): string[] {
  const { stripeSecretKey, stripeApiUrl, paystackSecretKey, smtpUrl } = settings
  const isReal =
    isPublic(settings) ||
    hasRealIssuer(settings) ||
    (!!stripeSecretKey && !isLoopbackUrl(stripeApiUrl)) ||
    // there is no stand-in for Paystack: a short key is that of a test
    (!!paystackSecretKey && !TOO_SHORT.test(paystackSecretKey)) ||
    isRemoteUrl(smtpUrl)
  if (!isReal) return []
  const { supportEmail, operatorEmail, bankName, bankAccountName, bankAccountNumber } = settings
  const values = Object.entries({
    SUPPORT_EMAIL: supportEmail,
    OPERATOR_EMAIL: operatorEmail,
    BANK_NAME: bankName,
    BANK_ACCOUNT_NAME: bankAccountName,
    BANK_ACCOUNT_NUMBER: bankAccountNumber,
  } satisfies Record<keyof typeof TRIAL, string | undefined>)
  return values
    .filter(([env, value]) => value === TRIAL[env as keyof typeof TRIAL])
    .map(([env]) => `${env} must be your own, since not all is on this machine`)
}

const TOO_SHORT = /^(?:[sr]k_(?:test_|live_)?|whsec_)?.{0,15}$/

/**
 * Secrets of real providers that are too short. Stand-ins on this machine and tests use short ones; Paystack's address cannot
 * be configured, so for it the address of the product decides.
 */
function weakSecrets(settings: RelatedSettings): string[] {
  const { publicUrl, stripeApiUrl } = settings
  const secrets: readonly [env: string, value: string | null | undefined, isReal: boolean][] = [
    ['OIDC_CLIENT_SECRET', settings.oidcClientSecret, hasRealIssuer(settings)],
    ['STRIPE_SECRET_KEY', settings.stripeSecretKey, !isLoopbackUrl(stripeApiUrl)],
    [
      'STRIPE_WEBHOOK_SECRET',
      settings.stripeWebhookSecret,
      !!settings.stripeSecretKey && !isLoopbackUrl(stripeApiUrl),
    ],
    ['PAYSTACK_SECRET_KEY', settings.paystackSecretKey, isRemoteUrl(publicUrl)],
  ]
  return secrets
    .filter(([, value, isReal]) => isReal && value && TOO_SHORT.test(value))
    .map(([env]) => `${env} must be the real one, with 16 characters at least after its prefix`)
}

function publicKeyOf(privateKey: string): string {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey, 'base64url')
  return pair.getPublicKey('base64url')
}

/** The settings that name a PostgreSQL on another machine without `sslmode`: pg then connects without TLS. */
export const withoutTls = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    if (typeof value !== 'string' || !/^postgres(ql)?:/.test(value)) return []
    const { hostname, searchParams } = new URL(value)
    const isHere = hostname === '' || hostname.startsWith('%2F') || isLoopback(value)
    return isHere || searchParams.has('sslmode') ? [] : [name]
  })
