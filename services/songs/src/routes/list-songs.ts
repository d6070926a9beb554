import type { QueryOf, songsApi } from '@prelude/contracts'
import { AppError, type Database, paged, type Query, type RouteHandler } from '@prelude/platform'
import { bulkhead } from '../bulkhead.ts'
import { countStages, listByTime, listByTitle, positionIn } from '../store/song-list.ts'
import { present } from './present.ts'

type Asked = QueryOf<typeof songsApi.list>

/**
 * A search reads all texts of a person, or of all people. Two at a time leave the other connections to submits; one that waits
 * for long is refused, before its caller has given up.
 */
const SEARCHES = { most: 2, waitMs: 2_000 }

export const listSongs = (db: Database): RouteHandler<typeof songsApi.list> => {
  const search = bulkhead(SEARCHES)
  return async ({ query }) => {
    if (query.q?.includes('\0')) throw new AppError('invalid_text')
    const read = async () => ({
      ...(await pageOf(db, query)),
      ...(query.counts && { counts: await countStages(db, query.q) }),
    })
    const { items, ...rest } = await (query.q === undefined ? read() : search(read))
    return { items: items.map(present), ...rest }
  }
}

/** A cursor of one order is not one of the other. Errors: invalid_cursor. */
function pageOf(db: Query, { uid, q, status, stage, favourite, archived, unread, sort, ...page }: Asked) {
  const wanted = { uid, q, status, stage, favourite, archived, unread }
  return sort === 'title'
    ? paged(
        page,
        ['string', 'number', 'id'],
        (after, limit) => listByTitle(db, { ...wanted, limit }, after),
        ({ title, createdAt, id }) => [title ?? '', createdAt, id],
      )
    : paged(
        page,
        ['number', 'id'],
        (after, limit) => listByTime(db, { ...wanted, limit }, after),
        (song) => positionIn(stage, song),
      )
}
