import type { Problem } from '@prelude/contracts'
import { AppError, asAppError, type Clock, type Database, newId, problemOf } from '@prelude/platform'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { personOf } from '../caller.ts'
import { every } from '../every.ts'
import type { KeyedHash } from '../keyed-hash.ts'
import { SENT, type Sent } from '../sent.ts'
import {
  claimKey,
  keepAnswer,
  type KeptAnswer,
  type KeyScope,
  releaseKey,
  RENEW_EVERY_MS,
  renewKey,
} from '../store/idempotency-keys.ts'

export type OnceDeps = { clock: Clock; db: Database; fingerprint: KeyedHash }

/** After any other answer the caller sends a corrected request, or the same one again. */
const isKept = (status: number): boolean => (status >= 200 && status < 300) || status === 422

/** Longer than the path of any resource. A row of an index in PostgreSQL has 2.7 kB at most, an address of a request 16 KiB. */
const MAX_PATH = 500

type Handle = (id: string) => Promise<unknown>

/** Errors: invalid_idempotency_key. */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new AppError('invalid_idempotency_key')
  return key
}

/** The first call with a key does the work under an id drawn with the key; a repeat gets its answer. */
export async function answerOnce(
  deps: OnceDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  handle: Handle,
): Promise<unknown> {
  const key = idempotencyKey(request)
  if (key === undefined) return handle(newId())

  const { db, clock } = deps
  const [address = '', query = ''] = request.url.split('?', 2)
  const path = address.slice(0, MAX_PATH)
  const scope: KeyScope = { uid: personOf(request).uid, method: request.method, path, key }
  const fingerprint = deps.fingerprint(query, '\n', request.rawBody ?? '')
  const now = await (request.databaseNow ?? clock.databaseNow(db))
  const claim = await claimKey(db, scope, fingerprint, now)
  if (claim.state === 'reused') throw new AppError('idempotency_key_reused')
  if (claim.state === 'running') throw new AppError('request_in_progress', { retryAfterSeconds: 1 })
  if (claim.state === 'replay') {
    if (claim.status >= 400) request.problemCode = (JSON.parse(claim.body ?? '') as Problem).code
    void reply.header('idempotency-replayed', 'true')
    return send(reply, claim)
  }
  const { attempt } = claim
  const over = new AbortController()
  void every(clock, RENEW_EVERY_MS, over.signal, () => {
    const renewing = clock.databaseNow(db).then((now) => renewKey(db, scope, attempt, now))
    renewing.catch(() => {}) // the next one may succeed
  })
  try {
    const answer = await handle(claim.resourceId)
    const write = reply.getSerializationFunction(String(status)) ?? JSON.stringify
    const body = answer === undefined ? null : write(answer)
    await keepAnswer(db, scope, attempt, { status, body, aboutUid: uidIn(answer) })
    return send(reply, { status, body })
  } catch (error) {
    await settleRefusal(deps, request, { scope, attempt, error: error as Error })
    throw error
  } finally {
    over.abort()
  }
}

async function settleRefusal(
  { db }: OnceDeps,
  request: FastifyRequest,
  { scope, attempt, error }: { scope: KeyScope; attempt: string; error: Error },
): Promise<void> {
  const refusal = asAppError(error)
  if (refusal && isKept(refusal.status)) {
    const body = JSON.stringify(problemOf(refusal, request.id))
    await keepAnswer(db, scope, attempt, { status: refusal.status, body })
  } else await releaseKey(db, scope, attempt)
}

/** The person whom an answer is about. */
function uidIn(answer: unknown): string | undefined {
  const { uid } = (answer ?? {}) as { uid?: unknown }
  return typeof uid === 'string' ? uid : undefined
}

function send(reply: FastifyReply, { status, body }: KeptAnswer): Sent {
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  if (body !== null) void reply.header('content-type', `${type}; charset=utf-8`)
  void reply.code(status).send(body ?? undefined)
  return SENT
}
