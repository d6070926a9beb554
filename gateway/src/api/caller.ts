import { AppError } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'

export interface Session {
  readonly uid: string
  /** Names the session inside; the id in the cookie is kept nowhere. */
  readonly hash: string
  readonly signedInAt: number
  /** When the person proved to the identity provider who they are, which may be long before. */
  readonly authenticatedAt: number
}

export interface Caller extends Session {
  readonly isOperator: boolean
  readonly isUnlocked: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Read while the limits count, for the Idempotency-Key. */
    databaseNow: Promise<number> | null
  }
}

/** Errors: not_signed_in. */
export function personOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError('not_signed_in')
  return request.caller
}
