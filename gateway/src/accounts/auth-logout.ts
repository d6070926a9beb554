import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { sessionCookie } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'

export const logout = ({ config, sessions }: { config: GatewayConfig; sessions: Sessions }): PublicRoute =>
  publicRoute('POST /api/auth/logout', {
    access: 'anyone',
    summary: 'Ends the session on the server; also fine when signed out',
    status: 204,
    handle: async ({ request, reply }) => {
      const cookie = sessionCookie(config)
      const id = cookie.read(request)
      if (id !== undefined) await sessions.end(id)
      cookie.clear(reply)
    },
  })
