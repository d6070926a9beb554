import type { RouteDeps } from '../route-deps.ts'
import { sessionCookie } from './session-cookie.ts'
import { type PublicRoute, publicRoute } from '../api/public-route.ts'

export const logout = ({ config, sessions }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/auth/logout',
    access: 'anyone',
    area: 'Session and identity',
    summary: 'Ends the session on the server; also fine when signed out',
    status: 204,
    handle: async ({ request, reply }) => {
      const cookie = sessionCookie(config)
      const id = cookie.read(request)
      if (id !== undefined) await sessions.end(id)
      cookie.clear(reply)
    },
  })
