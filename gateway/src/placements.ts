import type { Placed } from '@prelude/contracts'
import {
  AppError,
  asAppError,
  type CallRequest,
  type CallReply,
  readReply,
  type ServiceCall,
} from '@prelude/platform'
import type { FastifyRequest } from 'fastify'

/** Two files of 200 MiB over a slow line, plus their way into the object store. */
const PLACE_MS = 60 * 60_000

/** A stream of the caller's body: a caller that disconnects aborts the call. */
export const streamedBody = (request: FastifyRequest): Pick<CallRequest, 'body' | 'timeoutMs'> => ({
  body: request.raw,
  timeoutMs: PLACE_MS,
})

/** Both files, or one, come to lie at their final paths under a claim. Errors: storage's refusals, upload_failed for all else. */
export async function place(calls: ServiceCall, request: CallRequest): Promise<Placed> {
  try {
    const reply: CallReply = await calls.call('storage', { timeoutMs: PLACE_MS, ...request })
    return (await readReply('storage', reply)) as Placed
  } catch (error) {
    throw asUploadFailed(error as Error)
  }
}

/** A refusal stays what it is; whatever did not work is `upload_failed` (spec §8). */
export function asUploadFailed(error: Error): Error {
  const refusal = asAppError(error)
  if (refusal && refusal.kind !== 'unavailable' && refusal.kind !== 'internal') return refusal
  return new AppError('upload_failed', { cause: error })
}
