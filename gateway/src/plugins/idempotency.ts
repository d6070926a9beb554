import { KIND_STATUS, type Problem } from '@prelude/contracts'
import { AppError, asAppError, newId, problemOf } from '@prelude/platform'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RouteDeps } from '../route-deps.ts'
import { claimKey, forgetKey, keepAnswer, type KeyScope, releaseKey } from '../store/idempotency-keys.ts'
import { personOf } from './access.ts'
import { SENT, type Sent } from '../sent.ts'

/** Refusals after which the caller sends a corrected request: their answer is not kept. */
const NOT_KEPT = new Set([400, 401, 403, 429])

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
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  handle: Handle,
): Promise<unknown> {
  const key = idempotencyKey(request)
  if (key === undefined) return handle(newId())

  const [path = '', query = ''] = request.url.split('?', 2)
  const scope: KeyScope = { uid: personOf(request).uid, method: request.method, path, key }
  const claim = await claimKey(
    deps.db,
    scope,
    deps.fingerprint(query, '\n', request.rawBody ?? ''),
    Date.now(),
  )
  if (claim.state === 'reused') throw new AppError('idempotency_key_reused')
  if (claim.state === 'running') throw new AppError('request_in_progress', { retryAfterSeconds: 1 })
  if (claim.state === 'replay') {
    if (claim.status >= 400) request.problemCode = (JSON.parse(claim.body) as Problem).code
    void reply.header('idempotency-replayed', 'true')
    return send(reply, claim)
  }
  try {
    const answer = await handle(claim.resourceId)
    const write = reply.getSerializationFunction(String(status)) ?? JSON.stringify
    const body = write(answer)
    await keepAnswer(deps.db, scope, claim.attempt, { status, body })
    return send(reply, { status, body })
  } catch (error) {
    await settleRefusal(deps, request, { scope, attempt: claim.attempt, error: error as Error })
    throw error
  }
}

/** A request without effect frees the key or its answer is kept; after a failure the same request may run again. */
async function settleRefusal(
  { db }: RouteDeps,
  request: FastifyRequest,
  { scope, attempt, error }: { scope: KeyScope; attempt: string; error: Error },
): Promise<void> {
  const refusal = asAppError(error)
  const status = refusal ? KIND_STATUS[refusal.kind] : 500
  if (!refusal || status >= 500) await releaseKey(db, scope, attempt)
  else if (NOT_KEPT.has(status)) await forgetKey(db, scope, attempt)
  else await keepAnswer(db, scope, attempt, { status, body: JSON.stringify(problemOf(refusal, request.id)) })
}

function send(reply: FastifyReply, { status, body }: { status: number; body: string }): Sent {
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  void reply.code(status).header('content-type', `${type}; charset=utf-8`).send(body)
  return SENT
}
