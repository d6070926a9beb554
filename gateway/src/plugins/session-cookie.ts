import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayConfig } from '../config.ts'
import { SESSION_MAX_MS } from '../sessions.ts'

const ID = /^[A-Za-z0-9_-]{43}$/

export const isSecure = (config: Pick<GatewayConfig, 'publicUrl'>): boolean =>
  config.publicUrl.startsWith('https:')

/** Browsers bind a cookie of the longer name to https and this host. */
export const sessionCookieName = (config: Pick<GatewayConfig, 'publicUrl'>): string =>
  isSecure(config) ? '__Host-session' : 'session'

/** The cookie that holds a session's id: HttpOnly, SameSite=Lax; on https also Secure and bound to this host. */
export function sessionCookie(config: Pick<GatewayConfig, 'publicUrl'>) {
  const secure = isSecure(config)
  const name = sessionCookieName(config)
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  return {
    read: (request: FastifyRequest): string | undefined => {
      const id = request.cookies[name]
      return id !== undefined && ID.test(id) ? id : undefined
    },
    set: (reply: FastifyReply, id: string): void =>
      void reply.setCookie(name, id, { ...attributes, maxAge: SESSION_MAX_MS / 1000 }),
    clear: (reply: FastifyReply): void => void reply.clearCookie(name, attributes),
  }
}
