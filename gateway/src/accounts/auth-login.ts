import { createHash, randomBytes } from 'node:crypto'
import { OneOf } from '@prelude/contracts'
import { Type } from 'typebox'
import { Header } from '../api/document/documentation.ts'
import { keepOpener } from '../api/plugins/security-headers.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { safeReturnTo } from './return-to.ts'
import { sessionCookie } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'
import { failSignIn, redirect } from './sign-in-answers.ts'
import { type Attempt, ATTEMPT_MS, attemptCookies } from './sign-in-attempts.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type Deps = { config: GatewayConfig; identity: IdentityProvider; kv: KeyValue; sessions: Sessions }

const random = (): string => randomBytes(32).toString('base64url')

export const login = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/auth/login', {
    access: 'anyone',
    summary:
      'Leads to the identity provider (302); a browser that is signed in to a new proof of who its person is',
    limit: 'sign-in',
    head: false,
    document: {
      answers: {
        200: {
          description:
            'In popup mode, while the identity provider does not answer: a page that says so and closes.',
          content: { 'text/html': Type.String() },
        },
        302: {
          description: 'To the identity provider, or to `/?signin=signin_failed` while it does not answer.',
          headers: { location: Header('where to go') },
        },
      },
    },
    query: Type.Object({
      returnTo: Type.Optional(
        Type.String({ description: 'a path of this origin, not under /api; / if not given' }),
      ),
      mode: Type.Optional(OneOf('popup', 'redirect')),
    }),
    handle: async ({ request, reply, query }) => {
      const { config, identity, kv, sessions } = deps
      void keepOpener(reply).header('cache-control', 'no-store')
      // what a refusal looks like must be known also when the attempt is over
      const name = `${query.mode === 'popup' ? 'p' : 'r'}${random().slice(0, 16)}`
      const secrets = { state: `${name}.${random()}`, nonce: random(), verifier: random() }
      const browser = random()
      const session = sessionCookie(config).read(request)
      const attempt: Attempt = {
        ...secrets,
        browserHash: createHash('sha256').update(browser).digest('base64url'),
        returnTo: safeReturnTo(query.returnTo, config.publicUrl),
        mode: query.mode === 'popup' ? 'popup' : 'redirect',
        isRepeated: session !== undefined && (await sessions.read(session)) !== null,
      }
      let address: string
      try {
        address = await identity.authorizationUrl(secrets, attempt.isRepeated)
      } catch (error) {
        request.log.warn({ err: error }, 'the identity provider does not answer')
        return failSignIn(reply, attempt.mode, 'signin_failed')
      }
      await kv.set(`sign-in:${name}`, JSON.stringify(attempt), ATTEMPT_MS)
      attemptCookies(config).set(request, reply, name, browser)
      return redirect(reply, address)
    },
  })
