import { OneOf, type Placed, type PlacedObject, Song, SONG_NOT_IN_DATABASE } from '@prelude/contracts'
import { AppError, isCode, isId } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type AuditDeps, closeAudit, noteAudit } from '../accounts/access.ts'
import type { SongsClient } from '../api/clients.ts'
import { Binary, IdempotencyKey } from '../api/document/documentation.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { songView } from '../songs/views.ts'
import { asUploadFailed, BOTH, deliver, placeForm, type PlacementDeps, SOME } from './placements.ts'
import { UNLOCKED } from './songs.ts'

type Deps = AuditDeps & PlacementDeps & { config: GatewayConfig; songs: SongsClient }

/** Refusals of a delivery that concern its files, however they come. */
const OF_FILES = [
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
] as const

/**
 * All or nothing: songs is asked first, storage places both files, and songs makes them the takes of the song. Files that no
 * song takes are removed by storage's sweep. Checks come in the order that the operator can act on: the song first, then the files.
 */
export const fulfilSong = (deps: Deps): PublicRoute =>
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
      'song_closed',
      'song_already_ready',
      'charge_pending',
      'song_not_charged',
      'fulfilment_in_progress',
      'both_versions_required',
      ...OF_FILES,
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
      return deliver(deps, { request, reply, id }, BOTH, (put) => fulfil(deps, request, id, gift, put))
    },
  })

/** One or both versions again, as the owner asked: each becomes the newest take, the ones before stay. */
export const deliverChanges = (deps: Deps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/operator/songs/:id/changes',
    access: 'unlocked',
    area: 'Operator',
    action: 'deliver-changes',
    summary:
      'The changes that were asked for, as a form with version1, version2 or both, or as JSON naming finished uploads',
    refusals: [
      'song_not_found',
      'song_closed',
      'changes_not_asked',
      'fulfilment_in_progress',
      'version_required',
      ...OF_FILES,
    ],
    body: 'stream',
    document: {
      headers: IdempotencyKey,
      bodies: {
        'multipart/form-data': Type.Object({
          version1: Type.Optional(Binary),
          version2: Type.Optional(Binary),
        }),
        'application/json': Type.Object({
          version1: Type.Optional(Type.String({ description: 'the id of a finished upload' })),
          version2: Type.Optional(Type.String({ description: 'the id of a finished upload' })),
        }),
      },
    },
    reply: Song,
    handle: async ({ request, reply, params: { id = '' } }) => {
      if (!isId(id)) throw new AppError('song_not_found')
      return deliver(deps, { request, reply, id }, SOME, (put) => addTakes(deps, request, id, put))
    },
  })

export const replaceVersion = (deps: Deps): PublicRoute =>
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
      'request_timeout',
    ],
    body: 'stream',
    document: { bodies: { 'multipart/form-data': Type.Object({ file: Binary }) } },
    reply: Song,
    handle: async ({ request, params: { id = '', n = '' } }) => {
      noteAudit(request, { detail: `version ${n}` })
      if (!isId(id) || !/^[12]$/.test(n)) throw new AppError('song_not_found')
      const song = await songInDatabase(() => deps.songs.get({ params: { id } }))
      if (song.status !== 'ready') throw new AppError('song_not_ready')
      const form = { path: `/songs/${id}/versions/${n}/placements`, missing: 'file_required' } as const
      const { objects } = await placeForm(deps, request, form)
      const [object] = objects as [PlacedObject]
      const replaces = pathOf(song, n)
      return record(deps, request, id, {
        call: () => deps.songs.replaceTake({ params: { id, n }, body: { replaces, object } }),
        isDone: (now) => pathOf(now, n) === object.path,
      })
    },
  })

/** Errors: select_song, song_not_found and the others of checkFulfillable, then those of the files. */
async function fulfil(
  deps: Deps,
  request: FastifyRequest,
  id: string,
  gift: boolean,
  put: () => Promise<Placed>,
): Promise<Song> {
  if (!isId(id)) throw new AppError('select_song')
  await songInDatabase(() => deps.songs.checkFulfillable({ params: { id }, query: { gift } }))
  const { objects } = await put()
  const [version1, version2] = objects as [PlacedObject, PlacedObject]
  return record(deps, request, id, {
    call: () => deps.songs.fulfil({ params: { id }, body: { gift, version1, version2 } }),
    isDone: (now) => now.storagePath1 === version1.path && now.storagePath2 === version2.path,
  })
}

async function addTakes(
  deps: Deps,
  request: FastifyRequest,
  id: string,
  put: () => Promise<Placed>,
): Promise<Song> {
  await songInDatabase(() => deps.songs.checkChanges({ params: { id } }))
  const placed = await put()
  const objects = placed.objects.map((object, i) => ({ version: placed.versions[i] ?? 1, object }))
  const paths = placed.objects.map(({ path }) => path)
  return record(deps, request, id, {
    call: () => deps.songs.deliverChanges({ params: { id }, body: { objects } }),
    isDone: (now) => paths.every((path) => path === now.storagePath1 || path === now.storagePath2),
  })
}

async function songInDatabase<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isCode(error, 'song_not_found')) throw error
    throw new AppError('song_not_found', { detail: SONG_NOT_IN_DATABASE })
  }
}

const pathOf = (song: Song, n: string): string => (n === '1' ? song.storagePath1 : song.storagePath2) ?? ''

/**
 * Songs takes the placed objects. When it does not answer in time it may still do so, so it is read once: what it says is
 * the answer, and nothing is undone. The objects stay, should it take them later.
 */
async function record(
  deps: Deps,
  request: FastifyRequest,
  id: string,
  { call, isDone }: { call: () => Promise<Song>; isDone: (song: Song) => boolean },
): Promise<Song> {
  const song = await call().catch(async (error: Error) => {
    const now = await deps.songs.get({ params: { id } }).catch(() => null)
    if (!now || !isDone(now)) throw asUploadFailed(error)
    return now
  })
  // the song is changed whatever comes now
  await closeAudit(deps, request, 'ok')
  return songView(song, UNLOCKED, deps.config)
}
