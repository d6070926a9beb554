import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSecure } from '../api/plugins/security-headers.ts'
import type { GatewayConfig } from '../config.ts'
import { SESSION_MAX_MS, type Successor } from './sessions.ts'

const ID = /^[A-Za-z0-9_-]{43}$/

/** Responses that the browser kept may hold texts of the person. */
const CLEAR_CACHE = '"cache"'

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
    /** The streams of the session before end once the browser has the answer. */
    replace: (reply: FastifyReply, { id, endStreams }: Successor): void => {
      void reply.setCookie(name, id, { ...attributes, maxAge: SESSION_MAX_MS / 1000 })
      reply.raw.once('close', () => {
        endStreams().catch((error: unknown) =>
          reply.log.warn({ err: error }, 'streams of an ended session last until their next check'),
        )
      })
    },
    /** At the end of a session that its person wanted. */
    clear: (reply: FastifyReply): void =>
      void reply.clearCookie(name, attributes).header('clear-site-data', CLEAR_CACHE),
  }
}
