import type { ReplyOf, songsApi } from '@prelude/contracts'
import {
  AppError,
  type Database,
  decodeCursor,
  encodeCursor,
  isId,
  type RouteContext,
} from '@prelude/platform'
import { listSongs as readSongs } from '../store/song.ts'
import { present, presentOpen } from './present.ts'

const DEFAULT_LIMIT = 50

export const listSongs =
  (db: Database) =>
  async ({
    query: { uid, q, status, paths = true, cursor, limit = DEFAULT_LIMIT },
  }: RouteContext<typeof songsApi.list>): Promise<ReplyOf<typeof songsApi.list>> => {
    if (q?.includes('\0')) throw new AppError('invalid_text')
    const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string'])
    if (after !== undefined && !isId(after[1])) throw new AppError('invalid_cursor')
    // one more than asked for tells whether there is a next page
    // a search reads all songs of a person: nobody waits behind one
    const songs = await readSongs(q === undefined ? db.reads : db, {
      uid,
      q,
      status,
      after,
      limit: limit + 1,
    })
    const items = songs.slice(0, limit)
    const last = items.at(-1)
    return {
      items: items.map(paths ? present : presentOpen),
      nextCursor: songs.length > limit && last ? encodeCursor([last.createdAt, last.id]) : null,
    }
  }
