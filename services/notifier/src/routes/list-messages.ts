import type { notifierApi, ReplyOf } from '@prelude/contracts'
import { type Database, paged, type RouteContext } from '@prelude/platform'
import { listMessages as readMessages } from '../store/message.ts'

export const listMessages =
  (db: Database) =>
  ({
    query: { uid, unsent = false, ...page },
  }: RouteContext<typeof notifierApi.list>): Promise<ReplyOf<typeof notifierApi.list>> =>
    paged(
      page,
      ['number', 'id'],
      (after, limit) => readMessages(db, { uid, unsent, after, limit }),
      ({ createdAt, id }) => [createdAt, id],
    )
