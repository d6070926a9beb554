import { createHash, createHmac, type KeyObject, randomUUID, timingSafeEqual } from 'node:crypto'
import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { Identity } from '../../identity.ts'
import type { CallRequest } from './port.ts'

const HEADER = 'x-prelude-call'
export const LIFETIME_MS = 60_000
const NO_BODY = 'none'
/** The content of a stream is not covered: it is not known when the call begins. */
const STREAM = 'stream'

/**
 * A short-lived proof of who calls: caller, time, a nonce, the digest of the body, and a MAC over these, the
 * receiver, method and path, with the key that only these two services have.
 */
export function proveCall(
  identity: Identity,
  to: ServiceName,
  { method, path, body }: Pick<CallRequest, 'method' | 'path' | 'body'>,
  at: number,
): Record<string, string> {
  const digest = body === undefined ? NO_BODY : typeof body === 'string' ? digestOf(body) : STREAM
  const claims = [identity.service, String(at), randomUUID(), digest]
  const [key] = identity.callKeys(to)
  if (!key) throw new Error(`no public key of ${to}`)
  return { [HEADER]: [...claims, macOf(key, claims, to, method, path)].join('.') }
}

/**
 * Who calls. Errors: not_found for a wrong or missing proof and for a repeated one of a call that changes something, so that
 * an internal port reveals nothing; clock_skew for a right one of more than a minute ago or ahead.
 */
export function provenCaller(
  identity: Identity,
  seen: SeenCalls,
  request: FastifyRequest,
  now: number,
): ServiceName {
  const { claims, mac } = proofOf(request)
  const [caller, at, , digest] = claims
  const service = SERVICE_NAMES.find((name) => name === caller)
  const isProven = (key: KeyObject): boolean =>
    equal(mac, macOf(key, claims, identity.service, request.method, request.url))
  if (service === undefined || !identity.callKeys(service).some(isProven)) throw new AppError('not_found')
  if (Math.abs(now - Number(at)) >= LIFETIME_MS) {
    const times = { signedAt: new Date(Number(at)).toISOString(), receivedAt: new Date(now).toISOString() }
    request.log.error(times, 'clock skew: a call was signed more than a minute ago or ahead')
    throw new AppError('clock_skew')
  }
  const isHashed = digest !== NO_BODY && digest !== STREAM
  if ((digest === NO_BODY && hasBody(request)) || (isHashed && !isJson(request)))
    throw new AppError('not_found')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead && !seen.isFirst(mac, now)) {
    request.log.warn({ caller, method: request.method }, 'a call was repeated as it was sent: refused')
    throw new AppError('not_found')
  }
  return service
}

/** Errors: not_found when it is not the body that was signed. */
export function assertSignedBody(request: FastifyRequest, body: Buffer): void {
  const digest = proofOf(request).claims[3] ?? ''
  if (digest !== STREAM && !equal(digest, digestOf(body))) throw new AppError('not_found')
}

type SeenCalls = ReturnType<typeof seenCalls>

/** Proofs of the calls that this process has taken, each for as long as it is valid. */
export function seenCalls() {
  const until = new Map<string, number>()
  return {
    /** False when this proof has come before, as far as it can still be valid. */
    isFirst: (mac: string, now: number): boolean => {
      for (const [old, end] of until) {
        if (end > now) break // a Map keeps the order of insertion
        until.delete(old)
      }
      if (until.has(mac)) return false
      until.set(mac, now + 2 * LIFETIME_MS) // the signer's clock may be ahead
      return true
    },
  }
}

function proofOf(request: FastifyRequest): { claims: string[]; mac: string } {
  const claims = String(request.headers[HEADER] ?? '').split('.')
  return { claims, mac: claims.pop() ?? '' }
}

const macOf = (key: KeyObject, claims: readonly string[], to: string, method: string, path: string): string =>
  createHmac('sha256', key)
    .update([...claims, to, method, path].join('\n'))
    .digest('base64url')

const digestOf = (body: string | Buffer): string => createHash('sha256').update(body).digest('base64url')

function equal(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const isJson = ({ headers }: FastifyRequest): boolean =>
  /^application\/json\b/.test(headers['content-type'] ?? '')
