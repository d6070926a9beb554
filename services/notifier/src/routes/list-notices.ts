import type { noticesApi, ReplyOf } from '@prelude/contracts'
import { AppError, type Database, isId, paged, type RouteContext } from '@prelude/platform'
import { listNotices as readNotices } from '../store/notice.ts'

export const listNotices =
  (db: Database) =>
  ({
    params: { uid = '' },
    query,
  }: RouteContext<typeof noticesApi.list>): Promise<ReplyOf<typeof noticesApi.list>> =>
    paged(
      query,
      ['number', 'string'],
      (after, limit) => {
        if (after && !isId(after[1])) throw new AppError('invalid_cursor')
        return readNotices(db.reads, uid, { after, limit })
      },
      ({ at, id }) => [at, id],
    )
