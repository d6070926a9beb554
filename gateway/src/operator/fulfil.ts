import {
  NewMadeOfSome,
  OneOf,
  type Placed,
  type PlacedObject,
  Song,
  SONG_NOT_IN_DATABASE,
} from '@prelude/contracts'
import { AppError, isCode, isId } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type AuditDeps, closeAudit, noteAudit } from '../accounts/access.ts'
import type { SongsClient } from '../api/clients.ts'
import { Binary, IdempotencyKey } from '../api/document/documentation.ts'
import { readJson } from '../api/plugins/bodies.ts'
import { answerOnce, type OnceDeps } from '../api/plugins/idempotency.ts'
import { type Call, publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { songIdOf } from '../songs/own-song.ts'
import { songView } from '../songs/views.ts'
import {
  asUploadFailed,
  BOTH,
  isJson,
  placeForm,
  type PlacementDeps,
  placeUploads,
  removeUploads,
  SOME,
  uploadsIn,
  type Versions,
} from './placements.ts'
import { UNLOCKED } from './songs.ts'

type Deps = AuditDeps & OnceDeps & PlacementDeps & { config: GatewayConfig; songs: SongsClient }

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

/** How each version was made, in a form. */
const MadeField = Type.String({ description: 'JSON, as in the other kind of body' })

/**
 * All or nothing: songs is asked first, storage places both files, and songs makes them the takes of the song. Files that no
 * song takes are removed by storage's sweep. Checks come in the order that the operator can act on: the song first, then the files.
 */
export const fulfilSong = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/fulfil', {
    access: 'unlocked',
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
        'multipart/form-data': Type.Object({
          version1: Binary,
          version2: Binary,
          made: Type.Optional(MadeField),
        }),
        'application/json': Type.Object({
          version1: Type.String({ description: 'the id of a finished upload' }),
          version2: Type.String({ description: 'the id of a finished upload' }),
          made: Type.Optional(NewMadeOfSome),
        }),
      },
    },
    reply: Song,
    handle: async (call) => {
      const { request, params, query } = call
      const { id = '' } = params
      const gift = query.gift === 'true'
      noteAudit(request, gift ? { detail: 'gift' } : {})
      return deliver(deps, call, {
        id,
        versions: BOTH,
        check: async () => {
          if (!isId(id)) throw new AppError('select_song')
          await songInDatabase(deps.songs.checkFulfillable({ params: { id }, query: { gift } }))
        },
        take: ({ objects }) => {
          const [version1, version2] = objects as [PlacedObject, PlacedObject]
          return deps.songs.fulfil({ params: { id }, body: { gift, version1, version2 } })
        },
      })
    },
  })

/** One or both versions again, as the owner asked: each becomes the newest take, the ones before stay. */
export const deliverChanges = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/changes', {
    access: 'unlocked',
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
          made: Type.Optional(MadeField),
        }),
        'application/json': Type.Object({
          version1: Type.Optional(Type.String({ description: 'the id of a finished upload' })),
          version2: Type.Optional(Type.String({ description: 'the id of a finished upload' })),
          made: Type.Optional(NewMadeOfSome),
        }),
      },
    },
    reply: Song,
    handle: async (call) => {
      const id = songIdOf(call.params)
      return deliver(deps, call, {
        id,
        versions: SOME,
        check: () => songInDatabase(deps.songs.checkChanges({ params: { id } })),
        take: (placed) => {
          const objects = placed.objects.map((object, i) => ({ version: placed.versions[i] ?? 1, object }))
          return deps.songs.deliverChanges({ params: { id }, body: { objects } })
        },
      })
    },
  })

export const replaceVersion = (deps: Deps): PublicRoute =>
  publicRoute('PUT /api/operator/songs/:id/versions/:n', {
    access: 'unlocked',
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
    document: {
      bodies: {
        'multipart/form-data': Type.Object({
          file: Binary,
          made: Type.Optional(Type.String({ description: 'JSON: {how, with}, or null' })),
        }),
      },
    },
    reply: Song,
    handle: async ({ request, params: { id = '', n = '' } }) => {
      noteAudit(request, { detail: `version ${n}` })
      if (!isId(id) || !/^[12]$/.test(n)) throw new AppError('song_not_found')
      const song = await songInDatabase(deps.songs.get({ params: { id } }))
      if (song.status !== 'ready') throw new AppError('song_not_ready')
      const form = { path: `/songs/${id}/versions/${n}/placements`, missing: 'file_required' } as const
      const placed = await placeForm(deps, request, form)
      const [object] = placed.objects as [PlacedObject]
      const replaces = (n === '1' ? song.storagePath1 : song.storagePath2) ?? ''
      const taking = deps.songs.replaceTake({ params: { id, n }, body: { replaces, object } })
      return record(deps, request, { id, placed, taking })
    },
  })

/** What differs between the deliveries of a song. */
interface Delivery {
  readonly id: string
  readonly versions: Versions
  /** Asks songs. Errors: those of the song. */
  readonly check: () => Promise<unknown>
  /** Has songs take the placed objects. */
  readonly take: (placed: Placed) => Promise<Song>
}

const deliver = (deps: Deps, call: Call<unknown>, delivery: Delivery): Promise<unknown> =>
  isJson(call.request) ? deliverUploads(deps, call, delivery) : deliverForm(deps, call, delivery)

async function deliverForm(deps: Deps, { request }: Call<unknown>, delivery: Delivery): Promise<Song> {
  const { id, versions, check, take } = delivery
  await check()
  const placed = await placeForm(deps, request, { ...versions, path: `/songs/${id}/${versions.path}` })
  return record(deps, request, { id, placed, taking: take(placed) })
}

/** Of finished uploads, which are removed when they are recorded. */
async function deliverUploads(
  deps: Deps,
  { request, reply }: Call<unknown>,
  { id, versions, check, take }: Delivery,
): Promise<unknown> {
  // the bytes are read first: a repeat must find its answer before it finds that the song has changed
  const body = readJson(request, deps.clock)
  await body.catch(() => {}) // refused after the song
  return answerOnce(deps, request, reply, 200, async () => {
    await check()
    const sent = await body
    const uploads = uploadsIn(sent, versions)
    const placed = await placeUploads(deps, id, { ...uploads, least: versions.least, made: sent['made'] })
    const song = await record(deps, request, { id, placed, taking: take(placed) })
    await removeUploads(deps, Object.values(uploads))
    return song
  })
}

async function songInDatabase<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (!isCode(error, 'song_not_found')) throw error
    throw new AppError('song_not_found', { detail: SONG_NOT_IN_DATABASE })
  }
}

/**
 * Songs takes the placed objects. When it does not answer in time it may still do so, so it is read once: what it says is
 * the answer, and nothing is undone. The objects stay, should it take them later.
 */
async function record(
  deps: Deps,
  request: FastifyRequest,
  { id, placed, taking }: { id: string; placed: Placed; taking: Promise<Song> },
): Promise<Song> {
  const song = await taking.catch(async (error: Error) => {
    const now = await deps.songs.get({ params: { id } }).catch(() => null)
    const paths = [now?.storagePath1, now?.storagePath2]
    if (!now || !placed.objects.every(({ path }) => paths.includes(path))) throw asUploadFailed(error)
    return now
  })
  // the song is changed whatever comes now
  await closeAudit(deps, request, 'ok')
  return songView(song, UNLOCKED, deps.config)
}
