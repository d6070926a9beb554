import { SessionView } from '@prelude/contracts'
import { AppError, isId } from '@prelude/platform'
import { Type } from 'typebox'
import { personOf } from '../api/caller.ts'
import { NO_FIELDS, publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { sessionCookie } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'

type Deps = { config: GatewayConfig; sessions: Sessions }

export const listSessions = ({ sessions }: Deps): PublicRoute =>
  publicRoute('GET /api/sessions', {
    access: 'person',
    summary: "The caller's own sessions, newest first",
    reply: Type.Object({ items: Type.Array(SessionView) }),
    handle: async ({ request }) => ({ items: await sessions.list(personOf(request)) }),
  })

export const endSession = ({ config, sessions }: Deps): PublicRoute =>
  publicRoute('DELETE /api/sessions/:id', {
    access: 'person',
    summary: "Ends one of the caller's own sessions",
    refusals: ['not_found'],
    status: 204,
    handle: async ({ request, reply, params: { id = '' } }) => {
      const caller = personOf(request)
      if (!isId(id) || !(await sessions.endOne(caller.uid, id))) throw new AppError('not_found')
      if (!(await sessions.isAlive(caller.hash))) sessionCookie(config).clear(reply)
    },
  })

export const endOtherSessions = ({ sessions }: Deps): PublicRoute =>
  publicRoute('POST /api/auth/logout-everywhere', {
    access: 'person',
    summary: "Ends all of the caller's sessions but this one",
    ...NO_FIELDS,
    status: 204,
    handle: async ({ request }) => sessions.endOthers(personOf(request)),
  })
