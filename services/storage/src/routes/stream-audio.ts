import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type BlobStore, type Database, type Logger, Unavailable } from '@prelude/platform'
import type { Claims } from '../claims.ts'
import { formatNamed, type Format } from '../domain/audio/format.ts'
import { matches, rangeHolds, rangeOf } from '../domain/byte-range.ts'
import { attachment, downloadName } from '../domain/file-name.ts'
import { type Audio, currentVersions } from '../store/audio.ts'
import { versionOf } from './place-audio.ts'

/** The contract allows 15 minutes. */
const PUBLIC_URL_MS = 10 * 60 * 1000

export interface AudioRoutesDeps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly claims: Claims
  readonly logger: Logger
}

/** `GET|HEAD /songs/:songId/versions/:n/audio`, with ranges and conditions (RFC 9110); `?download=1` names the file, `?inside=1` wants it from here. */
export function registerAudio(app: FastifyInstance, deps: AudioRoutesDeps): void {
  app.route<{ Params: { songId: string; n: string }; Querystring: { download?: string; inside?: string } }>({
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
  })
}

const etagOf = ({ sha256 }: Audio): string => `"${sha256}"`

/** What is served; when that is not both, perhaps only the word to keep a placement was lost. */
export async function servedVersions(deps: AudioRoutesDeps, songId: string): Promise<Audio[]> {
  const versions = await currentVersions(deps.db, songId)
  if (versions.length === 2) return versions
  await deps.claims.settleSong(songId)
  return currentVersions(deps.db, songId)
}

export const nameOf = (audio: Audio, versions: readonly Audio[]) => {
  const named = (one: Audio) => ({
    originalName: one.originalName,
    format: formatNamed(one.format) as Format,
  })
  const other = versions.find(({ version }) => version !== audio.version)
  return downloadName(audio.version, named(audio), other && named(other))
}

async function answer(
  deps: AudioRoutesDeps,
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
    // replaced while we looked: the client asks again, and then gets the new one
    deps.logger.warn({ path: audio.path }, 'an object that is to be served is not there')
    throw new Unavailable('storage', 'the object is not there')
  }
  if (range !== 'whole')
    void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${audio.sizeBytes}`)
  return reply.send(body)
}

export const unavailable = (error: unknown): never => {
  throw new Unavailable('the object store', error)
}
