import { createHash, timingSafeEqual } from 'node:crypto'
import { type Clock, isCode } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Header } from '../api/document/documentation.ts'
import { keepOpener } from '../api/plugins/security-headers.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { browserName } from './browser-name.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { sessionCookie } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'
import { failSignIn, finishSignIn } from './sign-in-answers.ts'
import { type Attempt, ATTEMPT_MS, attemptCookies } from './sign-in-attempts.ts'
import type { UserRecords } from './store/users.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type Deps = {
  clock: Clock
  config: GatewayConfig
  identity: IdentityProvider
  kv: KeyValue
  measures: { signedIn: (outcome: string) => void }
  sessions: Sessions
  signInUser: UserRecords['signInUser']
}

/** A callback that is refused for any reason makes no session, does not end an existing one, and shows a sentence. */
export const callback = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/auth/callback', {
    access: 'anyone',
    summary: 'Finishes sign-in (302, or a page that closes itself in popup mode)',
    head: false,
    document: {
      answers: {
        200: {
          description: 'In popup mode: a page that broadcasts to the other tabs of this origin and closes.',
          content: { 'text/html': Type.String() },
        },
        302: {
          description: 'Signed in, or refused (`/?signin=<code>`).',
          headers: { location: Header('a path of this origin') },
        },
      },
    },
    anyQuery: true,
    handle: async ({ request, reply }) => {
      const { clock, config, identity, sessions, signInUser, measures } = deps
      void keepOpener(reply).header('cache-control', 'no-store')
      const [name = ''] = String((request.query as { state?: unknown }).state).split('.', 1)
      let mode: Attempt['mode'] = name.startsWith('p') ? 'popup' : 'redirect'
      const fail = (code: 'signin_failed' | 'email_not_verified') => {
        measures.signedIn(code)
        return failSignIn(reply, mode, code)
      }
      try {
        const attempt = await takeAttempt(deps, request, name)
        if (!attempt) return fail('signin_failed')
        mode = attempt.mode
        attemptCookies(config).clear(reply, name)
        const { person, ...proof } = await identity.finish(new URL(request.url, config.publicUrl), attempt)
        const now = clock.now()
        const authenticatedAt = Math.min(proof.authenticatedAt ?? now, now)
        if (attempt.isRepeated && now - authenticatedAt > ATTEMPT_MS)
          throw new Error('the provider did not ask for a new sign-in')
        const uid = await signInUser(person)
        const cookie = sessionCookie(config)
        const browser = browserName(request.headers['user-agent'])
        cookie.replace(reply, await sessions.start({ uid, authenticatedAt }, browser, cookie.read(request)))
        measures.signedIn('ok')
        return finishSignIn(reply, mode, attempt.returnTo)
      } catch (error) {
        if (isCode(error, 'email_not_verified')) return fail('email_not_verified')
        request.log.warn({ reason: (error as Error).message }, 'sign-in refused')
        return fail('signin_failed')
      }
    },
  })

/** Once, and only by the browser that began it. */
async function takeAttempt(
  { kv, config }: Deps,
  request: FastifyRequest,
  name: string,
): Promise<Attempt | null> {
  const browser = attemptCookies(config).read(request, name)
  if (browser === undefined) return null
  const stored = await kv.get(`sign-in:${name}`)
  if (stored === null) return null
  const { browserHash } = JSON.parse(stored) as Attempt
  const given = createHash('sha256').update(browser).digest()
  if (!timingSafeEqual(given, Buffer.from(browserHash, 'base64url'))) return null
  const taken = await kv.getAndDelete(`sign-in:${name}`)
  return taken === null ? null : (JSON.parse(taken) as Attempt)
}
