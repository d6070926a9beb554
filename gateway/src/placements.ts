import { finished, Transform } from 'node:stream'
import { type Placed, PLACEMENT_MS, UPLOAD_SILENCE_MS } from '@prelude/contracts'
import {
  AppError,
  asAppError,
  type CallRequest,
  type CallReply,
  isCode,
  readReply,
  type ServiceCall,
} from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { RouteDeps } from './route-deps.ts'

/** A stream of the caller's body: a caller that disconnects, or sends nothing for too long, aborts the call. */
export const streamedBody = (
  { config }: RouteDeps,
  request: FastifyRequest,
): Pick<CallRequest, 'body' | 'timeoutMs'> => ({
  body: untilSilent(request.raw, config.uploadSilenceMs ?? UPLOAD_SILENCE_MS),
  timeoutMs: PLACEMENT_MS,
})

/** Passes the bytes on; fails with request_timeout when none arrived for that long. The connection stays open for the response. */
function untilSilent(source: IncomingMessage, silenceMs: number): Transform {
  const body = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      timer.refresh()
      done(null, chunk)
    },
  })
  const timer = setTimeout(() => body.destroy(new AppError('request_timeout')), silenceMs)
  body.once('close', () => clearTimeout(timer))
  body.on('error', () => {}) // the call fails with it
  finished(source, { writable: false }, (error) => void (error && body.destroy(error)))
  return source.pipe(body)
}

/** Stores both files, or one, at their final paths. Errors: storage's refusals, request_timeout, upload_failed for all else. */
export async function place(calls: ServiceCall, request: CallRequest): Promise<Placed> {
  try {
    const reply: CallReply = await calls.call('storage', { timeoutMs: PLACEMENT_MS, ...request })
    return (await readReply('storage', reply)) as Placed
  } catch (error) {
    throw asUploadFailed(error as Error, request)
  }
}

/** A refusal is passed on; any other failure is `upload_failed` (spec §8), or `request_timeout` when the sender was silent. */
export function asUploadFailed(error: Error, { body }: Partial<CallRequest> = {}): Error {
  const silence = typeof body === 'object' ? body.errored : null
  if (silence && isCode(silence, 'request_timeout')) return silence
  const refusal = asAppError(error)
  if (refusal && refusal.kind !== 'unavailable' && refusal.kind !== 'internal') return refusal
  return new AppError('upload_failed', { cause: error })
}
