import { randomBytes } from 'node:crypto'
import type { sharesApi } from '@prelude/contracts'
import { AppError, type Clock, type Database, isId, paged, type RouteHandler } from '@prelude/platform'
import { assertShareable } from '../domain/share.ts'
import { newestTake } from '../domain/takes.ts'
import {
  countLiveShares,
  countPlay as count,
  endShare as end,
  findShare,
  findShareByToken,
  insertShare,
  isErasedToken,
  listShares as readShares,
} from '../store/share.ts'
import { findSong, lockSongs } from '../store/song.ts'
import { present } from './present.ts'

const TOKEN_BYTES = 16

/** Under the lock of the song's row: a refund ends all of its links, and one that is made meanwhile waits for it. */
export const createShare =
  (db: Database, clock: Clock): RouteHandler<typeof sharesApi.create> =>
  async ({ params, body: { songId, ...shared } }) =>
    db.transaction(async (tx) => {
      const id = shareIdOf(params)
      const song = (await lockSongs(tx, [songId])).get(songId)
      if (!song) throw new AppError('song_not_found')
      const now = await clock.databaseNow(tx)
      const known = await findShare(tx, id, now)
      if (known) return known
      assertShareable(song, await countLiveShares(tx, songId, now))
      await insertShare(tx, { ...shared, id, songId, token: randomBytes(TOKEN_BYTES), createdAt: now })
      const made = await findShare(tx, id, now)
      if (!made) throw new Error('the link that was inserted is not there')
      return made
    })

export const listShares =
  (db: Database, clock: Clock): RouteHandler<typeof sharesApi.list> =>
  async ({ query: { uid, songId, ...page } }) => {
    const now = await clock.databaseNow(db)
    return paged(
      page,
      ['number', 'id'],
      (after, limit) => readShares(db, { uid, songId, now }, after, limit),
      ({ createdAt, id }) => [createdAt, id],
    )
  }

export const endShare =
  (db: Database, clock: Clock): RouteHandler<typeof sharesApi.end> =>
  async ({ params, body }) => {
    if (!(await end(db, shareIdOf(params), body.uid, clock.now()))) throw new AppError('share_not_found')
    return {}
  }

export const openShare =
  (db: Database, clock: Clock): RouteHandler<typeof sharesApi.open> =>
  async ({ body }) => {
    const token = Buffer.from(body.token, 'base64url')
    if (token.length !== TOKEN_BYTES || token.toString('base64url') !== body.token)
      throw new AppError('share_not_found')
    const share = await findShareByToken(db, token, await clock.databaseNow(db))
    const song = share && share.endedAt === null ? await findSong(db, share.songId) : null
    if (!share || !song) {
      if (share || (await isErasedToken(db, token))) throw new AppError('share_ended')
      throw new AppError('share_not_found')
    }
    const durationMs = (n: 1 | 2): number => newestTake(song.takes, n)?.durationMs ?? 0
    return { share, song: present(song), durationsMs: { 1: durationMs(1), 2: durationMs(2) } }
  }

export const countPlay =
  (db: Database): RouteHandler<typeof sharesApi.countPlay> =>
  async ({ params }) => {
    await count(db, shareIdOf(params))
    return {}
  }

/** Errors: share_not_found, also when it is no UUID. */
function shareIdOf({ id }: Record<string, string>): string {
  if (id === undefined || !isId(id)) throw new AppError('share_not_found')
  return id
}
