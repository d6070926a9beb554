import { type Again, draftsApi, songsApi, type SongWords } from '@prelude/contracts'
import {
  AppError,
  type Client,
  client,
  type Clock,
  type Database,
  FROM_NEWEST,
  isCode,
  isId,
  newId,
  paged,
  route,
  type RouteHandler,
  type ServiceCall,
} from '@prelude/platform'
import type { FastifyPluginAsync } from 'fastify'
import type { StorageConfig } from '../config.ts'
import { DELETE_AGAIN_MS } from '../delete-object.ts'
import { assertDraftable, assertWithin } from '../domain/draft.ts'
import { generatorRequest } from '../domain/generator-request.ts'
import {
  admitSong,
  type DraftObject,
  type DraftRequest,
  draftsOfCall,
  findDraft,
  findDraftObject,
  generatorSince,
  insertDrafts,
  listDrafts,
  lockSong,
  removeDraft,
  removeSong,
} from '../store/drafts.ts'
import { sendObject, type StreamDeps } from './stream-audio.ts'

type Deps = StreamDeps & {
  readonly clock: Clock
  readonly calls: ServiceCall
  readonly config: StorageConfig
  readonly onAsked: (drafts: number) => void
}

/** The operations of `draftsApi`, and the audio of ready drafts. */
export const drafts =
  (deps: Deps): FastifyPluginAsync =>
  async (app) => {
    const { db, clock } = deps
    route(app, draftsApi.make, createMake(deps))
    route(app, draftsApi.list, async ({ params: { songId = '' }, query }) => ({
      ...(await paged(
        query,
        ['number'],
        (after, most) => listDrafts(db, songId, { below: after?.[0] ?? FROM_NEWEST[0], most }),
        ({ n }) => [n],
      )),
      generatorSince: await generatorSince(db),
    }))
    route(app, draftsApi.get, async ({ params: { id = '' } }) => {
      const draft = isId(id) ? await findDraft(db, id) : null
      if (!draft) throw new AppError('draft_not_found')
      return draft
    })
    route(app, draftsApi.remove, async ({ params: { id = '' } }) => {
      const deleteAfter = (await clock.databaseNow(db)) + DELETE_AGAIN_MS
      if (!isId(id) || !(await db.transaction((tx) => removeDraft(tx, id, deleteAfter))))
        throw new AppError('draft_not_found')
      return {}
    })
    app.route<{ Params: { id: string } }>({
      method: ['GET', 'HEAD'],
      url: '/drafts/:id/audio',
      handler: async (request, reply) => {
        const { id } = request.params
        const object = isId(id) ? await findDraftObject(db, id) : null
        if (!object) throw new AppError('draft_not_found')
        return sendObject(deps, request, reply, { ...object, inside: true })
      },
    })
  }

/** Errors: draft_not_found, draft_not_ready. */
async function readyDraft(db: Database, id: string): Promise<DraftObject> {
  const object = isId(id) ? await findDraftObject(db, id) : null
  if (object) return object
  throw new AppError(isId(id) && (await findDraft(db, id)) ? 'draft_not_ready' : 'draft_not_found')
}

/** Of the words that the song has now. Errors: those of `draftsApi.make`. */
function createMake({ db, clock, calls, config, onAsked }: Deps): RouteHandler<typeof draftsApi.make> {
  const songs = client(calls, 'songs', songsApi)
  const openSong = async (id: string): Promise<SongWords> => {
    const song = await songs.words({ params: { id } })
    assertDraftable(song)
    return song
  }
  const dismiss =
    (id: string) =>
    async (error: unknown): Promise<never> => {
      if (isCode(error, 'song_closed') || isCode(error, 'song_not_found'))
        await db.transaction((tx) => removeSong(tx, id, clock.now()))
      throw error
    }
  return async ({ params: { songId = '' }, body }) => {
    const { callId, count, again } = body
    const asked = await draftsOfCall(db, callId)
    if (asked) return { items: asked }
    let song = await openSong(songId)
    // one that was closed before its row was there is closed in this answer; a later close finds the row
    if (await admitSong(db, songId)) song = await openSong(songId).catch(dismiss(songId))
    const part = again ? await partOf({ db, songs }, song, again) : null
    const request = { ...generatorRequest(song), again: part }
    const { items, added } = await db.transaction(async (tx) => {
      const locked = await lockSong(tx, songId)
      if (!locked) throw new AppError('song_closed')
      const before = await draftsOfCall(tx, callId)
      if (before) return { items: before, added: 0 }
      if (locked.listed + count > config.draftsASong) throw new AppError('too_many_drafts')
      const { uid, revision } = song
      const asks = Array.from({ length: count }, (_, i) => {
        const n = locked.lastN + 1 + i
        return { id: newId(), songId, uid, callId, n, revision, request }
      })
      await insertDrafts(tx, asks, await clock.databaseNow(tx))
      return { items: (await draftsOfCall(tx, callId)) ?? [], added: count }
    })
    onAsked(added)
    return { items }
  }
}

/** Errors: song_not_ready, song_not_found, draft_not_found, draft_not_ready, invalid_request. */
async function partOf(
  { db, songs }: { db: Database; songs: Client<typeof songsApi> },
  { id, status }: SongWords,
  again: Again,
): Promise<DraftRequest['again']> {
  const { fromMs, toMs } = again
  const audioOf = async (): Promise<{ path: string; durationMs: number }> => {
    if ('draftId' in again) {
      const draft = await readyDraft(db, again.draftId)
      if (draft.songId !== id) throw new AppError('draft_not_found')
      return draft
    }
    if (status !== 'ready') throw new AppError('song_not_ready')
    const { takes } = await songs.takes({ params: { id } })
    const take = takes.find((one) => one.version === again.version && one.take === again.take)
    if (!take) throw new AppError('song_not_found')
    return take
  }
  const { path, durationMs } = await audioOf()
  assertWithin({ fromMs, toMs }, durationMs)
  return { path, fromMs, toMs }
}
