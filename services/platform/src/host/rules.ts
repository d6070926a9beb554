import { createECDH } from 'node:crypto'
import { isLoopback } from '../loopback.ts'

/** Rules for settings, the same wherever these are read: by `make start`, by a service that runs alone, in containers. */

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
export function ownSecret(value: string): string {
  if (!/^\S{32,}$/.test(value)) throw new Error('must have 32 characters at least, and no white space')
  return value
}

/** A secret from somebody else, who decides its length; no text of an example. */
export const foreignSecret =
  (form = /^(?!from |change|replace|your ).+$/i, like = 'no text of an example') =>
  (value: string): string => {
    if (!form.test(value)) throw new Error(`must be the real one, with ${like}`)
    return value
  }

export const stripeKey = foreignSecret(/^[sr]k_[\w-]+$/, 'sk_ or rk_ at its beginning')
export const stripeWebhookSecret = foreignSecret(/^whsec_[\w+/=-]+$/, 'whsec_ at its beginning')
export const paystackKey = foreignSecret(/^sk_[\w-]+$/, 'sk_ at its beginning')

/** A key of web push (RFC 8292): a point of P-256 or its scalar, base64url. */
export const vapidKey =
  (which: 'public' | 'private') =>
  (value: string): string => {
    const form = which === 'public' ? /^B[\w-]{86}$/ : /^[\w-]{43}$/
    if (!form.test(value)) throw new Error(`must be the ${which} key of P-256, as base64url`)
    return value
  }

interface Together {
  readonly publicUrl?: string | null
  readonly rateLimits?: boolean
  readonly issuer?: string | null
  readonly publicIssuer?: string | null
  readonly vapidPublicKey?: string | null
  readonly vapidPrivateKey?: string | null
  readonly pushLoopback?: boolean
}

/** What is wrong with these settings together. */
export function contradictions(settings: Together): string[] {
  const { publicUrl, rateLimits, issuer, publicIssuer, pushLoopback = false } = settings
  const { vapidPublicKey = null, vapidPrivateKey = null } = settings
  const problems: string[] = []
  if (rateLimits === false && publicUrl && !isLoopback(publicUrl))
    problems.push('RATE_LIMITS=off is refused unless PUBLIC_URL is on this machine')
  if (publicIssuer && !isSafe(publicIssuer))
    problems.push('OIDC_PUBLIC_ISSUER must be https, or http on localhost')
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

function publicKeyOf(privateKey: string): string {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey, 'base64url')
  return pair.getPublicKey('base64url')
}

/** Addresses of PostgreSQL elsewhere that do not say whether to use TLS: then there is none. */
export const withoutTls = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    if (typeof value !== 'string' || !/^postgres(ql)?:/.test(value)) return []
    const { hostname, searchParams } = new URL(value)
    const isHere = hostname === '' || hostname.startsWith('%2F') || isLoopback(value)
    return isHere || searchParams.has('sslmode') ? [] : [name]
  })
