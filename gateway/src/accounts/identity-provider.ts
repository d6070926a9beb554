import { createHash } from 'node:crypto'
import { wholeName } from '@prelude/contracts'
import { AppError, once } from '@prelude/platform'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  customFetch,
  discovery,
  fetchUserInfo,
  type IDToken,
} from 'openid-client'
import type { GatewayConfig } from '../config.ts'

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
  readonly givenName: string | null
  readonly email: string
  readonly photoUrl: string | null
}

interface SignIn {
  readonly person: VerifiedPerson
  /** When the person last proved who they are there; undefined at a provider that does not say it. */
  readonly authenticatedAt: number | undefined
}

export interface IdentityProvider {
  /**
   * The address of the sign-in page, where a person may choose another account; `isRepeated`: where they prove again who they
   * are. Rejects when the provider does not answer.
   */
  authorizationUrl(secrets: AttemptSecrets, isRepeated: boolean): Promise<string>
  /** The person of a callback. Errors: email_not_verified; anything else means that the callback cannot be trusted. */
  finish(callback: URL, secrets: AttemptSecrets): Promise<SignIn>
}

/** An identity, and the uid of its first account: from the provider's configured name and its subject, so that it survives a change of e-mail, port or domain. */
export const personUid = (providerName: string, subject: string): string =>
  createHash('sha256').update(`${providerName}\n${subject}`).digest('base64url').slice(0, 22)

export function createIdentityProvider({
  publicUrl,
  oidc,
  oidcTrustEmails,
}: GatewayConfig): IdentityProvider {
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
    authorizationUrl: async ({ state, nonce, verifier }, isRepeated) => {
      const config = await configuration()
      const url = buildAuthorizationUrl(config, {
        redirect_uri: `${publicUrl}/api/auth/callback`,
        scope: 'openid email profile',
        response_type: 'code',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...promptOf(config, isRepeated),
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
      // an address and whether it is verified are of one source
      const isVerifiedHere = claims['email'] !== undefined && claims['email_verified'] !== undefined
      const more =
        isVerifiedHere && claims['name'] !== undefined && claims['given_name'] !== undefined
          ? undefined
          : await fetchUserInfo(config, tokens.access_token, claims.sub).catch((error: unknown) => {
              if (!isVerifiedHere) throw error
            })
      const profile: Readonly<Record<string, unknown>> = isVerifiedHere ? claims : (more ?? {})
      const email = storable(profile['email']) ?? ''
      const verified = profile['email_verified'] ?? oidcTrustEmails
      const isVerified = verified === true || verified === 'true'
      if (email === '' || email.length > MAX_EMAIL || !isVerified) throw new AppError('email_not_verified')
      const person = {
        identity: personUid(oidc.providerName, claims.sub),
        name: nameIn(claims['name'] ?? more?.name),
        givenName: nameIn(claims['given_name'] ?? more?.given_name),
        email: email.toLowerCase(),
        photoUrl: webAddress(claims['picture'] ?? more?.picture),
      }
      return { person, authenticatedAt: authenticatedAt(config, claims) }
    },
  }
}

/** Google lists no prompts: it supports `select_account`, and not `login`, which is part of the protocol elsewhere. */
function promptOf(config: Configuration, isRepeated: boolean): Record<string, string> {
  const { issuer, prompt_values_supported: listed } = config.serverMetadata()
  const google = issuer === GOOGLE ? ['select_account'] : undefined
  const prompts: unknown[] | undefined = Array.isArray(listed) ? listed : google
  const prompt = isRepeated && (prompts?.includes('login') ?? true) ? 'login' : 'select_account'
  return {
    ...((prompt === 'login' || prompts?.includes(prompt)) && { prompt }),
    ...(isRepeated && { max_age: '0' }),
  }
}

/** A provider that lists the claim and leaves it out has asked nobody lately. */
function authenticatedAt(config: Configuration, { auth_time: seconds }: IDToken): number | undefined {
  if (seconds !== undefined) return seconds * 1000
  return config.serverMetadata().claims_supported?.includes('auth_time') ? 0 : undefined
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

/** An address that a provider gives as a name is none. */
const nameIn = (name: unknown): string | null =>
  wholeName(storable(typeof name === 'string' ? Array.from(name).slice(0, MAX_NAME).join('') : null))

function webAddress(value: unknown): string | null {
  const text = storable(value)
  const url = text !== null && URL.canParse(text) ? new URL(text) : null
  return url && ['http:', 'https:'].includes(url.protocol) && url.href.length <= MAX_PHOTO_URL
    ? url.href
    : null
}
