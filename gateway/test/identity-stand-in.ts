import { createSign, createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import type { Clock } from '@prelude/platform'
import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'

export interface Claims {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly given_name?: string
  readonly picture?: string
  /** Seconds since the epoch; absent: at the sign-in. Null for a provider that does not say it. */
  readonly auth_time?: number | null
  /** What the ID token does not say; without it there is no such endpoint. */
  readonly userinfo?: Omit<Claims, 'sub'>
}

interface Grant {
  readonly challenge: string
  readonly nonce: string
  readonly claims: Claims
}

/** Of every provider in a file: making them takes a tenth of a second. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** A vendor edge: the smallest OpenID provider that the real client accepts. Codes are good once, the challenge is checked. */
export async function identityStandIn(metadata: object, clock: Pick<Clock, 'now'>) {
  const grants = new Map<string, Grant>()
  const tokens: string[] = []
  const userinfo = new Map<string, object>()
  const app = Fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
  let issuer = ''
  let isDown = false
  app.addHook('onRequest', async (_request, reply) => (isDown ? reply.code(500).send('down') : undefined))
  app.get('/.well-known/openid-configuration', async () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    ...metadata,
  }))
  app.get('/jwks', async () => ({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
  }))
  app.get('/userinfo', async ({ headers }, reply) => {
    const found = userinfo.get(headers.authorization?.replace('Bearer ', '') ?? '')
    return found ?? reply.code(404).send()
  })
  app.post('/token', async (request, reply) => {
    const form = request.body as URLSearchParams
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!grant || verifier !== grant.challenge) return reply.code(400).send({ error: 'invalid_grant' })
    const now = Math.floor(Date.now() / 1000)
    const { nonce, claims } = grant
    const { auth_time = Math.floor(clock.now() / 1000), userinfo: elsewhere, ...others } = claims
    const token = { iss: issuer, aud: 'prelude', iat: now, exp: now + 60, nonce, ...others }
    const [access_token, id_token] = [
      randomUUID(),
      sign({ ...token, ...(auth_time !== null && { auth_time }) }),
    ]
    tokens.push(access_token, id_token)
    if (elsewhere) userinfo.set(access_token, { sub: claims.sub, ...elsewhere })
    return { access_token, token_type: 'Bearer', expires_in: 60, id_token }
  })

  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const sign = (payload: object): string => {
    const text = `${part({ alg: 'RS256', kid: 'one' })}.${part(payload)}`
    return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`
  }
  await app.listen({ host: '127.0.0.1', port: 0 })
  issuer = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return {
    issuer,
    /** All that were given. */
    tokens,
    /** The person agrees: what the browser brings back, given where it was sent. */
    agree: (authorization: string, claims: Claims): string => {
      const asked = new URL(authorization).searchParams
      const code = randomUUID()
      grants.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        nonce: asked.get('nonce') ?? '',
        claims,
      })
      return `/api/auth/callback?${new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer })}`
    },
    goDown: (down: boolean) => void (isDown = down),
    stop: () => app.close(),
  }
}
