import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

const HEADER = 'x-prelude-call'
const LIFETIME_MS = 60_000

/** A short-lived proof that a call comes from another service of the product: time, and a MAC over time, method and path. */
export function signCall(secret: string, method: string, path: string): Record<string, string> {
  const at = String(Date.now())
  return { [HEADER]: `${at}.${mac(secret, at, method, path)}` }
}

/**
 * Errors: not_found for a wrong or missing signature, so that an internal port reveals nothing; clock_skew for a right one
 * of more than a minute ago or ahead.
 */
export function assertFromInside(secret: string, request: FastifyRequest): void {
  const [at = '', given = ''] = String(request.headers[HEADER] ?? '').split('.')
  const expected = mac(secret, at, request.method, request.url)
  if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected)))
    throw new AppError('not_found')
  const now = Date.now()
  if (Math.abs(now - Number(at)) < LIFETIME_MS) return
  const times = { signedAt: new Date(Number(at)).toISOString(), receivedAt: new Date(now).toISOString() }
  request.log.error(times, 'clock skew: a call was signed more than a minute ago or ahead')
  throw new AppError('clock_skew')
}

const mac = (secret: string, at: string, method: string, path: string): string =>
  createHmac('sha256', secret).update(`${at}\n${method}\n${path}`).digest('base64url')
