import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

const HEADER = 'x-prelude-call'
const LIFETIME_MS = 60_000

/** A short-lived proof that a call comes from another part of the product: time, and a MAC over time, method and path. */
export function signCall(secret: string, method: string, path: string): Record<string, string> {
  const at = String(Date.now())
  return { [HEADER]: `${at}.${mac(secret, at, method, path)}` }
}

/** Errors: not_found for anybody else, so that an internal port tells nothing. */
export function assertFromInside(secret: string, request: FastifyRequest): void {
  const [at = '', given = ''] = String(request.headers[HEADER] ?? '').split('.')
  const expected = mac(secret, at, request.method, request.url)
  const fresh = Math.abs(Date.now() - Number(at)) < LIFETIME_MS
  if (
    !fresh ||
    given.length !== expected.length ||
    !timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  )
    throw new AppError('not_found')
}

const mac = (secret: string, at: string, method: string, path: string): string =>
  createHmac('sha256', secret).update(`${at}\n${method}\n${path}`).digest('base64url')
