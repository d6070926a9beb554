import { AppError, type KeyValue } from '@prelude/platform'
import { Type } from 'typebox'
import { isPassword } from '../operator-password.ts'
import type { RouteDeps } from '../route-deps.ts'
import { personOf } from '../plugins/access.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'

const TRIES = 5
const WINDOW_MS = 15 * 60_000
const area = 'Operator'

export const unlock = ({ config, kv, sessions }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/operator/unlock',
    access: 'operator',
    area,
    action: 'unlock',
    summary: 'Unlocks this session with the admin password, for 12 hours at most',
    refusals: ['operator_only', 'wrong_operator_password', 'too_many_requests'],
    idempotent: false,
    body: Type.Object({ password: Type.String({ maxLength: 1000 }) }),
    status: 204,
    handle: async ({ request, body }) => {
      const caller = personOf(request)
      await countTry(kv, caller.uid)
      if (!(await isPassword(body.password, config.operatorPasswordHash)))
        throw new AppError('wrong_operator_password')
      await kv.take(triesOf(caller.uid))
      await sessions.unlock(caller)
    },
  })

export const lock = ({ sessions }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/operator/lock',
    access: 'unlocked',
    area,
    action: 'lock',
    summary: 'Locks this session again',
    refusals: ['operator_only', 'operator_locked'],
    status: 204,
    handle: async ({ request }) => sessions.lock(personOf(request)),
  })

const triesOf = (uid: string): string => `unlock-tries:${uid}`

/**
 * Counted before the password is checked, over all sessions, so that parallel guesses count too; a right one resets.
 * Errors: too_many_requests after five wrong ones, until the window has passed.
 */
async function countTry(kv: KeyValue, uid: string): Promise<void> {
  const tries = await kv.increment(triesOf(uid), WINDOW_MS)
  const since = `unlock-since:${uid}`
  if (tries === 1) await kv.set(since, String(Date.now()), WINDOW_MS)
  if (tries <= TRIES) return
  const endsAt = Number((await kv.get(since)) ?? Date.now()) + WINDOW_MS
  throw new AppError('too_many_requests', {
    retryAfterSeconds: Math.max(1, Math.ceil((endsAt - Date.now()) / 1000)),
  })
}
