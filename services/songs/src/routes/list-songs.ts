import type { ReplyOf, songsApi } from '@prelude/contracts'
import { AppError, type Database, isId, paged, type RouteContext } from '@prelude/platform'
import { listSongs as readSongs } from '../store/song.ts'
import { present } from './present.ts'

export const listSongs =
  (db: Database) =>
  async ({
    query: { uid, q, status, ...page },
  }: RouteContext<typeof songsApi.list>): Promise<ReplyOf<typeof songsApi.list>> => {
    if (q?.includes('\0')) throw new AppError('invalid_text')
    // a search reads all songs of a person: short reads do not wait for it
    const query = q === undefined ? db.reads : db
    const { items, nextCursor } = await paged(
      page,
      ['number', 'string'],
      (after, limit) => {
        if (after && !isId(after[1])) throw new AppError('invalid_cursor')
        return readSongs(query, { uid, q, status, after, limit })
      },
      ({ createdAt, id }) => [createdAt, id],
    )
    return { items: items.map(present), nextCursor }
  }
