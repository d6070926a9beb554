import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSecure } from '../api/plugins/security-headers.ts'
import type { GatewayConfig } from '../config.ts'
import type { AttemptSecrets } from './identity-provider.ts'

export const ATTEMPT_MS = 10 * 60_000
/** More would outgrow what a server takes as headers; the oldest go first. */
const MAX_ATTEMPTS = 12

/** Kept on the server until the callback takes it, once. */
export interface Attempt extends AttemptSecrets {
  /** Of the cookie's value: only the browser that began may finish. */
  readonly browserHash: string
  readonly returnTo: string
  readonly mode: 'popup' | 'redirect'
  /** Of a browser that is signed in: the person proves again who they are. */
  readonly isRepeated: boolean
}

/** One cookie an attempt, so that several tabs may sign in at once. */
export function attemptCookies(config: GatewayConfig) {
  const secure = isSecure(config)
  // browsers bind a cookie of the longer name to this host: a neighbour cannot plant one
  const prefix = secure ? '__Host-sign-in-' : 'sign-in-'
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  const clear = (reply: FastifyReply, name: string): void =>
    void reply.clearCookie(`${prefix}${name}`, attributes)
  return {
    read: (request: FastifyRequest, name: string): string | undefined => request.cookies[`${prefix}${name}`],
    clear,
    set: (request: FastifyRequest, reply: FastifyReply, name: string, value: string): void => {
      const pending = Object.keys(request.cookies).filter((one) => one.startsWith(prefix))
      for (const old of pending.slice(0, Math.max(0, pending.length + 1 - MAX_ATTEMPTS)))
        clear(reply, old.slice(prefix.length))
      void reply.setCookie(`${prefix}${name}`, value, { ...attributes, maxAge: ATTEMPT_MS / 1000 })
    },
  }
}
