import { type Database, type Logger, Unavailable } from '@prelude/platform'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { matches, rangeHolds, rangeOf } from '../domain/byte-range.ts'
import { attachment } from '../domain/file-name.ts'
import type { Audio } from '../store/audio.ts'
import { findObjects, formatOf, nameOf, unavailable } from './find-objects.ts'
import type { BlobStore } from '../blobs/index.ts'

/** The contract allows 15 minutes. */
const PUBLIC_URL_MS = 10 * 60 * 1000

const Asked = Type.Object({
  path: Type.String(),
  beside: Type.Optional(Type.String()),
  download: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  inside: Type.Optional(Type.String()),
})
type Asked = Static<typeof Asked>

export interface StreamDeps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly logger: Logger
}

/**
 * `GET|HEAD /audio?path=`, with ranges and conditions (RFC 9110). `&download=1` names the file, after `&title=` or so that
 * its name differs from that of the object `&beside=`; `&inside=1` streams it from here also when the object store has public addresses.
 */
export const streamAudio =
  (deps: StreamDeps): FastifyPluginAsync =>
  async (app) => {
    app.route<{ Querystring: Asked }>({
      method: ['GET', 'HEAD'],
      url: '/audio',
      schema: { querystring: Asked },
      handler: async (request, reply) => {
        const { path, beside, download, title, inside } = request.query
        const isSaved = download === '1'
        const paths = isSaved && beside !== undefined ? [path, beside] : [path]
        const [audio, other] = (await findObjects(deps.db, paths)) as [Audio, Audio | undefined]
        const disposition = isSaved ? attachment(nameOf(audio, other, title)) : undefined
        return sendObject(deps, request, reply, { ...audio, disposition, inside: inside === '1' })
      },
    })
  }

interface Sent extends Pick<Audio, 'path' | 'format' | 'sizeBytes' | 'sha256'> {
  readonly disposition?: string | undefined
  /** Not from the object store itself. */
  readonly inside?: boolean
}

/** Answers an object, as the headers of the request say, or where it lies. */
export async function sendObject(
  deps: StreamDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  audio: Sent,
): Promise<FastifyReply> {
  const { disposition } = audio
  const elsewhere =
    // a signed address is for GET alone
    audio.inside || request.method === 'HEAD'
      ? null
      : await deps.blobs.publicUrl(audio.path, PUBLIC_URL_MS, disposition).catch(unavailable)
  if (elsewhere !== null) return reply.header('cache-control', 'private, no-store').redirect(elsewhere, 302)
  const etag = `"${audio.sha256}"`
  void reply
    .header('accept-ranges', 'bytes')
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
  if (disposition !== undefined) void reply.header('content-disposition', disposition)
  const { range: rangeHeader, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = request.headers
  if (matches(ifNoneMatch, etag)) return reply.code(304).send()
  // a range is defined for GET alone
  const asked =
    request.method === 'GET' && rangeHolds(ifRange as string | undefined, etag) ? rangeHeader : undefined
  const range = rangeOf(asked, audio.sizeBytes)
  if (range === 'outside') return reply.code(416).header('content-range', `bytes */${audio.sizeBytes}`).send()
  void reply.header('content-type', formatOf(audio).contentType)
  const length = range === 'whole' ? audio.sizeBytes : range.end - range.start + 1
  void reply.header('content-length', length)
  if (request.method === 'HEAD') return reply.send()
  const body = await deps.blobs.get(audio.path, range === 'whole' ? undefined : range).catch(unavailable)
  if (!body) {
    // replaced since the row was read: the client's next request gets the new object
    deps.logger.warn({ path: audio.path }, 'an object that is to be served is not there')
    throw new Unavailable('storage', 'the object is not there')
  }
  if (range !== 'whole')
    void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${audio.sizeBytes}`)
  return reply.send(body)
}
