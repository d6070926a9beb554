import { AppError, Unavailable } from '@prelude/platform'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Format, formatNamed } from '../domain/audio/format.ts'
import { matches, rangeHolds, rangeOf } from '../domain/byte-range.ts'
import { attachment } from '../domain/file-name.ts'
import type { Audio } from '../store/audio.ts'
import { nameOf, servedVersions, type StreamDeps, unavailable } from './served-versions.ts'
import { versionOf } from './version-of.ts'

/** The contract allows 15 minutes. */
const PUBLIC_URL_MS = 10 * 60 * 1000

/**
 * `GET|HEAD /songs/:songId/versions/:n/audio`, with ranges and conditions (RFC 9110). `?download=1` names the file;
 * `?inside=1` streams it from here also when the object store has public addresses.
 */
export const streamAudio =
  (deps: StreamDeps): FastifyPluginAsync =>
  async (app) => {
    app.route<{ Params: { songId: string; n: string }; Querystring: { download?: string; inside?: string } }>(
      {
        method: ['GET', 'HEAD'],
        url: '/songs/:songId/versions/:n/audio',
        handler: async (request, reply) => {
          const version = versionOf(request.params.n)
          const download = request.query.download === '1'
          const versions = await servedVersions(deps, request.params.songId)
          const audio = versions.find((one) => one.version === version)
          if (!audio) throw new AppError('song_not_found')
          const named = download ? nameOf(audio, versions) : undefined
          const elsewhere =
            request.query.inside === '1'
              ? null
              : await deps.blobs.publicUrl(audio.path, PUBLIC_URL_MS, named?.name).catch(unavailable)
          if (elsewhere !== null)
            return reply.header('cache-control', 'private, no-store').redirect(elsewhere, 302)
          void reply
            .header('accept-ranges', 'bytes')
            .header('etag', etagOf(audio))
            .header('cache-control', 'private, no-cache')
          if (named) void reply.header('content-disposition', attachment(named))
          return answer(deps, request, reply, audio)
        },
      },
    )
  }

const etagOf = ({ sha256 }: Audio): string => `"${sha256}"`

async function answer(
  deps: StreamDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  audio: Audio,
): Promise<FastifyReply> {
  const etag = etagOf(audio)
  const { range: rangeHeader, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = request.headers
  if (matches(ifNoneMatch, etag)) return reply.code(304).send()
  // a range is defined for GET alone
  const asked =
    request.method === 'GET' && rangeHolds(ifRange as string | undefined, etag) ? rangeHeader : undefined
  const range = rangeOf(asked, audio.sizeBytes)
  if (range === 'outside') return reply.code(416).header('content-range', `bytes */${audio.sizeBytes}`).send()
  void reply.header('content-type', (formatNamed(audio.format) as Format).contentType)
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
