import { type Placed, Song } from '@prelude/contracts'
import { AppError, isCode, isId } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { OneOf } from '@prelude/contracts'
import type { RouteDeps } from '../route-deps.ts'
import { asUploadFailed, place, streamedBody } from '../placements.ts'
import { answerOnce } from '../plugins/idempotency.ts'
import { closeAudit, noteAudit } from '../plugins/access.ts'
import { readJson } from '../plugins/bodies.ts'
import { Binary, IdempotencyKey } from '../document/documentation.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'
import { songView } from '../views.ts'
import { UNLOCKED } from './operator-songs.ts'

/**
 * All or nothing: songs is asked first, storage puts both files under a claim, songs names them, the claim is kept.
 * Checks come in the order that the operator can act on: the song first, then the files.
 */
export const fulfilSong = (deps: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/operator/songs/:id/fulfil',
    access: 'unlocked',
    area: 'Operator',
    action: 'fulfil-song',
    summary:
      'Both versions, as a form with version1 and version2 or as JSON naming finished uploads; makes the song ready',
    refusals: [
      'select_song',
      'song_not_found',
      'song_already_ready',
      'charge_pending',
      'song_not_charged',
      'fulfilment_in_progress',
      'both_versions_required',
      'file_too_large',
      'not_audio',
      'upload_not_found',
      'upload_not_finished',
      'upload_failed',
      'unsupported_media_type',
      'malformed_json',
      'body_too_large',
      'request_timeout',
      'invalid_idempotency_key',
      'request_in_progress',
      'idempotency_key_reused',
    ],
    query: Type.Object({ gift: Type.Optional(OneOf('true', 'false')) }),
    body: 'stream',
    document: {
      headers: IdempotencyKey,
      bodies: {
        'multipart/form-data': Type.Object({ version1: Binary, version2: Binary }),
        'application/json': Type.Object({
          version1: Type.String({ description: 'the id of a finished upload' }),
          version2: Type.String({ description: 'the id of a finished upload' }),
        }),
      },
    },
    reply: Song,
    handle: async ({ request, reply, params: { id = '' }, query }) => {
      const gift = query.gift === 'true'
      noteAudit(request, gift ? { detail: 'gift' } : {})
      if (!isJson(request)) return fulfil(deps, request, id, gift, (song) => placeFiles(deps, request, song))
      // the bytes are read first: a repeat must find its answer before it finds that the song is ready
      const body = await readJson(request).catch((error: unknown) => error as Error)
      return answerOnce(deps, request, reply, 200, () =>
        fulfil(deps, request, id, gift, (song) => placeUploads(deps, body, song)),
      )
    },
  })

export const replaceVersion = (deps: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'PUT',
    url: '/api/operator/songs/:id/versions/:n',
    access: 'unlocked',
    area: 'Operator',
    action: 'replace-version',
    summary: 'Replaces one version of a ready song, as a form with file',
    refusals: [
      'song_not_found',
      'song_not_ready',
      'file_required',
      'file_too_large',
      'not_audio',
      'upload_failed',
      'fulfilment_in_progress',
      'unsupported_media_type',
    ],
    body: 'stream',
    document: { bodies: { 'multipart/form-data': Type.Object({ file: Binary }) } },
    reply: Song,
    handle: async ({ request, params: { id = '', n = '' } }) => {
      noteAudit(request, { detail: `version ${n}` })
      if (!isId(id) || !/^[12]$/.test(n)) throw new AppError('song_not_found')
      const song = await songInDatabase(() => deps.songs.get({ params: { id } }))
      if (song.status !== 'ready') throw new AppError('song_not_ready')
      assertForm(request)
      const placed = await place(deps.calls, {
        method: 'POST',
        path: `/songs/${id}/versions/${n}/placements?uid=${encodeURIComponent(song.uid)}`,
        headers: formHeaders(request),
        ...streamedBody(request),
      })
      const storagePath = placed.paths[0] ?? ''
      return settle(deps, request, placed, {
        record: () => deps.songs.replaceVersion({ params: { id, n }, body: { storagePath } }),
        isRecorded: (now) => (n === '1' ? now.storagePath1 : now.storagePath2) === storagePath,
        songId: id,
      })
    },
  })

/** Errors: select_song, song_not_found and the others of checkFulfillable, then those of the files. */
async function fulfil(
  deps: RouteDeps,
  request: FastifyRequest,
  id: string,
  gift: boolean,
  put: (song: Song) => Promise<Placed>,
): Promise<Song> {
  if (!isId(id)) throw new AppError('select_song')
  const song = await songInDatabase(() => deps.songs.checkFulfillable({ params: { id }, query: { gift } }))
  const placed = await put(song)
  const [storagePath1 = '', storagePath2 = ''] = placed.paths
  return settle(deps, request, placed, {
    record: () => deps.songs.fulfil({ params: { id }, body: { gift, storagePath1, storagePath2 } }),
    isRecorded: (now) => now.storagePath1 === storagePath1 && now.storagePath2 === storagePath2,
    songId: id,
  })
}

/** Spec §8 has its own sentence for the operator. */
async function songInDatabase<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isCode(error, 'song_not_found')) throw error
    throw new AppError('song_not_found', { detail: 'Song not found in database.' })
  }
}

async function placeFiles({ calls }: RouteDeps, request: FastifyRequest, song: Song): Promise<Placed> {
  const isEmpty = request.headers['content-type'] === undefined && !hasBody(request)
  if (isEmpty) throw new AppError('both_versions_required')
  assertForm(request)
  return place(calls, {
    method: 'POST',
    path: `/songs/${song.id}/placements?uid=${encodeURIComponent(song.uid)}`,
    headers: formHeaders(request),
    ...streamedBody(request),
  })
}

async function placeUploads(
  { calls }: RouteDeps,
  body: Record<string, unknown> | Error,
  song: Song,
): Promise<Placed> {
  if (body instanceof Error) throw body
  const { version1, version2 } = body
  for (const upload of [version1, version2])
    if (typeof upload !== 'string' || upload === '') throw new AppError('both_versions_required')
  return place(calls, {
    method: 'POST',
    path: `/songs/${song.id}/placements/from-uploads`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ version1, version2 }),
  })
}

/**
 * The song names the placed files, or they go. When songs does not answer it is unknown whether it took them: then it is
 * read again, and while it does not answer nothing is removed; storage's own sweep settles it later.
 */
async function settle(
  deps: RouteDeps,
  request: FastifyRequest,
  { claim }: Placed,
  step: { record: () => Promise<Song>; isRecorded: (song: Song) => boolean; songId: string },
): Promise<Song> {
  const { songs, storage, logger } = deps
  const end = (how: 'keep' | 'discard'): Promise<unknown> =>
    storage[how]({ params: { claim } }).catch((error: unknown) =>
      logger.warn(
        { err: error, songId: step.songId },
        `the claim was not ended by ${how}; it ends by itself`,
      ),
    )
  let song: Song
  try {
    song = await step.record()
  } catch (error) {
    const now = await songs.get({ params: { id: step.songId } }).catch(() => null)
    if (!now) throw asUploadFailed(error as Error)
    if (!step.isRecorded(now)) {
      await end('discard')
      throw asUploadFailed(error as Error)
    }
    song = now
  }
  // the song is changed whatever comes now: both are written at once
  await Promise.all([end('keep'), closeAudit(deps, request, 'ok')])
  return songView(song, UNLOCKED)
}

const isJson = (request: FastifyRequest): boolean =>
  /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Errors: unsupported_media_type. */
function assertForm({ headers }: FastifyRequest): void {
  if (!/^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new AppError('unsupported_media_type')
}

const formHeaders = ({ headers }: FastifyRequest): Record<string, string> => ({
  'content-type': headers['content-type'] ?? '',
  ...(headers['content-length'] !== undefined && { 'content-length': headers['content-length'] }),
})
