import { createHash } from 'node:crypto'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  customFetch,
  discovery,
  fetchUserInfo,
} from 'openid-client'
import { AppError, once } from '@prelude/platform'
import type { GatewayConfig } from './config.ts'

const TIMEOUT_SECONDS = 4
/** Of what a provider says, in characters: it is copied into rows, mails and pages. */
const MAX_NAME = 200
const MAX_EMAIL = 320
const MAX_PHOTO_URL = 2_000
const GOOGLE = 'https://accounts.google.com'

/** The secrets of one sign-in attempt; all three are checked at its end. */
export interface AttemptSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface VerifiedPerson {
  /** The identity at the provider. The account of it is decided here, since one can have several over time. */
  readonly identity: string
  readonly name: string | null
  readonly email: string
  readonly photoUrl: string | null
}

export interface IdentityProvider {
  /** The address of the sign-in page, where a person may choose another account. Rejects when the provider does not answer. */
  authorizationUrl(secrets: AttemptSecrets): Promise<string>
  /** The person of a callback. Errors: email_not_verified; anything else means that the callback cannot be trusted. */
  finish(callback: URL, secrets: AttemptSecrets): Promise<VerifiedPerson>
}

/** An identity, and the uid of its first account: from the provider's configured name and its subject, so that it survives a change of e-mail, port or domain. */
export const personUid = (providerName: string, subject: string): string =>
  createHash('sha256').update(`${providerName}\n${subject}`).digest('base64url').slice(0, 22)

export function createIdentityProvider({ publicUrl, oidc }: GatewayConfig): IdentityProvider {
  const inside = new URL(oidc.issuer)
  const outside = new URL(oidc.publicIssuer ?? oidc.issuer)
  // the provider names itself by its public address; calls from here take the inner one
  const inward = (address: string): string => swapOrigin(address, outside, inside)

  const configuration = once(() =>
    discovery(outside, oidc.clientId, oidc.clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      [customFetch]: (address, options) => fetch(inward(address), options as RequestInit),
      ...(inside.protocol === 'http:' && { execute: [allowInsecureRequests] }),
    }),
  )

  return {
    authorizationUrl: async ({ state, nonce, verifier }) => {
      const config = await configuration()
      const url = buildAuthorizationUrl(config, {
        redirect_uri: `${publicUrl}/api/auth/callback`,
        scope: 'openid email profile',
        response_type: 'code',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(canSelectAccount(config) && { prompt: 'select_account' }),
      })
      return swapOrigin(url.href, inside, outside)
    },
    finish: async (callback, { state, nonce, verifier }) => {
      const config = await configuration()
      const tokens = await authorizationCodeGrant(config, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new Error('no ID token')
      const person =
        claims['email'] === undefined ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims
      const email = storable(person['email']) ?? ''
      if (
        email === '' ||
        email.length > MAX_EMAIL ||
        ![true, 'true'].includes(person['email_verified'] as boolean | string)
      )
        throw new AppError('email_not_verified')
      return {
        identity: personUid(oidc.providerName, claims.sub),
        name: nameOf(person['name']),
        email: email.toLowerCase(),
        photoUrl: webAddress(person['picture']),
      }
    },
  }
}

/** Google supports it, but its metadata does not list it. */
function canSelectAccount(config: Configuration): boolean {
  const { issuer, prompt_values_supported: prompts } = config.serverMetadata()
  return issuer === GOOGLE || (Array.isArray(prompts) && prompts.includes('select_account'))
}

function swapOrigin(address: string, from: URL, to: URL): string {
  const url = new URL(address)
  if (url.origin !== from.origin) return address
  url.protocol = to.protocol
  url.host = to.host
  url.port = to.port
  return url.href
}

/** What a provider says may hold anything; a blank text is none. */
function storable(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const clean = value.replaceAll('\0', '').toWellFormed()
  return clean.trim() === '' ? null : clean
}

const nameOf = (value: unknown): string | null =>
  storable(typeof value === 'string' ? Array.from(value).slice(0, MAX_NAME).join('') : null)

function webAddress(value: unknown): string | null {
  const text = storable(value)
  const url = text !== null && URL.canParse(text) ? new URL(text) : null
  return url && ['http:', 'https:'].includes(url.protocol) && url.href.length <= MAX_PHOTO_URL
    ? url.href
    : null
}
