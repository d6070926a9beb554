import type { noticesApi } from '@prelude/contracts'
import { type Database, paged, type RouteHandler } from '@prelude/platform'
import { listNotices as readNotices } from '../store/notice.ts'

export const listNotices =
  (db: Database): RouteHandler<typeof noticesApi.list> =>
  ({ params: { uid = '' }, query }) =>
    paged(
      query,
      ['number', 'id'],
      (after, limit) => readNotices(db, uid, { after, limit }),
      ({ at, id }) => [at, id],
    )
