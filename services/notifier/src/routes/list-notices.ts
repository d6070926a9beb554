import type { noticesApi, ReplyOf } from '@prelude/contracts'
import { type Database, paged, type RouteContext } from '@prelude/platform'
import { listNotices as readNotices } from '../store/notice.ts'

export const listNotices =
  (db: Database) =>
  ({
    params: { uid = '' },
    query,
  }: RouteContext<typeof noticesApi.list>): Promise<ReplyOf<typeof noticesApi.list>> =>
    paged(
      query,
      ['number', 'id'],
      (after, limit) => readNotices(db, uid, { after, limit }),
      ({ at, id }) => [at, id],
    )
