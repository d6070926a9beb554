import type { ReplyOf, songsApi } from '@prelude/contracts'
import { AppError, type Database, isId, paged, type RouteContext } from '@prelude/platform'
import { bulkhead } from '../bulkhead.ts'
import { listSongs as readSongs, positionIn } from '../store/song.ts'
import { present } from './present.ts'

/**
 * A search reads all texts of a person. Two at a time leave the other connections to submits; one that waits for long is
 * refused, before its caller has given up.
 */
const SEARCHES = { most: 2, waitMs: 2_000 }

export const listSongs = (db: Database) => {
  const search = bulkhead(SEARCHES)
  return async ({
    query: { uid, q, status, stage, ...page },
  }: RouteContext<typeof songsApi.list>): Promise<ReplyOf<typeof songsApi.list>> => {
    if (q?.includes('\0')) throw new AppError('invalid_text')
    const { items, nextCursor } = await paged(
      page,
      ['number', 'string'],
      (after, limit) => {
        if (after && !isId(after[1])) throw new AppError('invalid_cursor')
        const wanted = { uid, q, status, stage, after, limit }
        return q === undefined ? readSongs(db.reads, wanted) : search(() => readSongs(db, wanted))
      },
      (song) => positionIn(stage, song),
    )
    return { items: items.map(present), nextCursor }
  }
}
