import type { IncomingMessage } from 'node:http'
import { finished, Transform } from 'node:stream'
import { type Code, type Placed, PLACEMENT_MS, UPLOAD_SILENCE_MS } from '@prelude/contracts'
import {
  AppError,
  asAppError,
  type CallReply,
  type CallRequest,
  isCode,
  type Logger,
  readReply,
  type ServiceCall,
} from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { isWithoutBody } from '../api/plugins/bodies.ts'

export type PlacementDeps = { calls: ServiceCall; logger: Logger }

/** Which versions a delivery must have. */
export interface Versions {
  readonly least: 1 | 2
  readonly missing: Code
  /** Where storage places a form with them. */
  readonly path: string
}
export const BOTH: Versions = { least: 2, missing: 'both_versions_required', path: 'placements' }
export const SOME: Versions = { least: 1, missing: 'version_required', path: 'placements/some' }

/**
 * The files of a multipart form. Errors: `missing` when nothing is sent, unsupported_media_type, those of `place`; upload_failed where
 * the caller has left meanwhile, who may have cancelled it.
 */
export async function placeForm(
  { calls }: PlacementDeps,
  request: FastifyRequest,
  { path, missing }: { readonly path: string; readonly missing: Code },
): Promise<Placed> {
  assertForm(request, missing)
  const placed = await place(calls, {
    method: 'POST',
    path,
    headers: formHeaders(request),
    ...streamedBody(request),
  })
  if (request.raw.socket.destroyed) throw new AppError('upload_failed', { cause: 'the caller has left' })
  return placed
}

/** Ids of finished uploads. */
type Uploads = Readonly<{ version1?: string; version2?: string }>

/** The finished uploads that a body names. Errors: that of missing versions. */
export function uploadsIn(body: Record<string, unknown>, { least, missing }: Versions): Uploads {
  const { version1, version2 } = body
  const given = Object.entries({ version1, version2 }).filter(([, upload]) => upload !== undefined)
  if (given.length < least || given.some(([, upload]) => typeof upload !== 'string' || upload === ''))
    throw new AppError(missing)
  return Object.fromEntries(given)
}

/** Errors: those of `place`. */
export const placeUploads = (
  { calls }: PlacementDeps,
  id: string,
  uploads: Uploads & Pick<Versions, 'least'> & { readonly made: unknown },
): Promise<Placed> =>
  place(calls, {
    method: 'POST',
    path: `/songs/${id}/placements/from-uploads`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(uploads),
  })

/** Removes uploads that have become takes. Storage sweeps one that could not be removed after a day. */
export async function removeUploads(
  { calls, logger }: PlacementDeps,
  uploads: readonly string[],
): Promise<void> {
  const remove = async (upload: string): Promise<void> => {
    const { body } = await calls.call('storage', {
      method: 'DELETE',
      path: `/uploads/${encodeURIComponent(upload)}`,
      headers: { 'tus-resumable': '1.0.0' },
    })
    body.resume()
  }
  await Promise.all(uploads.map(remove)).catch((error: unknown) =>
    logger.warn({ err: error }, 'an upload that was used stays for a day'),
  )
}

export const isJson = (request: FastifyRequest): boolean =>
  /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')

/** Errors: `missing` when nothing is sent, unsupported_media_type. */
function assertForm(request: FastifyRequest, missing: Code): void {
  if (isWithoutBody(request)) throw new AppError(missing)
  if (!/^multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new AppError('unsupported_media_type')
}

const formHeaders = ({ headers }: FastifyRequest): Record<string, string> => ({
  'content-type': headers['content-type'] ?? '',
  ...(headers['content-length'] !== undefined && { 'content-length': headers['content-length'] }),
})

/** A stream of the caller's body: a caller that disconnects, or sends nothing for too long, aborts the call. */
export const streamedBody = (request: FastifyRequest): Pick<CallRequest, 'body' | 'timeoutMs'> => ({
  body: untilSilent(request.raw),
  timeoutMs: PLACEMENT_MS,
})

/**
 * Passes the bytes on; fails when none went on for a time: with request_timeout when the caller sent none. The connection
 * stays open for the response.
 */
function untilSilent(source: IncomingMessage): Transform {
  const body = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      timer.refresh()
      done(null, chunk)
    },
  })
  const timer = setTimeout(() => {
    const isUnread = source.complete || body.writableNeedDrain
    body.destroy(isUnread ? new Error('storage reads no bytes') : new AppError('request_timeout'))
  }, UPLOAD_SILENCE_MS)
  body.once('close', () => clearTimeout(timer))
  body.on('error', () => {}) // the call fails with it
  finished(source, { writable: false }, (error) => void (error && body.destroy(error)))
  return source.pipe(body)
}

/** Stores both files, or one, at their final paths. Errors: storage's refusals, request_timeout, upload_failed for all else. */
async function place(calls: ServiceCall, request: CallRequest): Promise<Placed> {
  try {
    const reply: CallReply = await calls.call('storage', { timeoutMs: PLACEMENT_MS, ...request })
    return (await readReply('storage', reply)) as Placed
  } catch (error) {
    throw asUploadFailed(error as Error, request)
  }
}

/** A refusal is passed on; any other failure is `upload_failed`, or `request_timeout` when the sender was silent. */
export function asUploadFailed(error: Error, { body }: Partial<CallRequest> = {}): Error {
  const silence = typeof body === 'object' ? body.errored : null
  if (silence && isCode(silence, 'request_timeout')) return silence
  const refusal = asAppError(error)
  if (refusal && refusal.kind !== 'unavailable' && refusal.kind !== 'internal') return refusal
  return new AppError('upload_failed', { cause: error })
}
