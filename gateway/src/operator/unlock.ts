import { Type } from 'typebox'
import { sessionCookie } from '../accounts/session-cookie.ts'
import type { Sessions } from '../accounts/sessions.ts'
import { personOf } from '../api/caller.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import type { OperatorPassword } from './password.ts'

type Deps = { config: GatewayConfig; operatorPassword: OperatorPassword; sessions: Sessions }

export const Password = Type.String({ maxLength: 1000 })

export const unlock = ({ config, operatorPassword, sessions }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/unlock', {
    access: 'operator',
    action: 'unlock',
    summary:
      'Unlocks this session with the admin password, until 30 minutes pass without a call (of a browser: without a change or input), for 12 hours at most; the session gets another id',
    refusals: ['operator_only', 'wrong_operator_password', 'too_many_requests'],
    idempotent: false,
    body: Type.Object({ password: Password }),
    status: 204,
    handle: async ({ request, reply, body }) => {
      const caller = personOf(request)
      await operatorPassword.check(caller.uid, body.password)
      sessionCookie(config).replace(reply, await sessions.unlock(caller))
    },
  })

export const lock = ({ sessions }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/lock', {
    access: 'unlocked',
    action: 'lock',
    summary: 'Locks this session again',
    refusals: ['operator_only', 'operator_locked'],
    status: 204,
    handle: async ({ request }) => sessions.lock(personOf(request)),
  })
