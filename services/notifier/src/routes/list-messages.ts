import type { notifierApi, ReplyOf } from '@prelude/contracts'
import { AppError, type Database, isId, paged, type RouteContext } from '@prelude/platform'
import { listMessages as readMessages } from '../store/message.ts'

export const listMessages =
  (db: Database) =>
  ({
    query: { uid, unsent = false, ...page },
  }: RouteContext<typeof notifierApi.list>): Promise<ReplyOf<typeof notifierApi.list>> =>
    paged(
      page,
      ['number', 'string'],
      (after, limit) => {
        if (after && !isId(after[1])) throw new AppError('invalid_cursor')
        return readMessages(db, { uid, unsent, after, limit })
      },
      ({ createdAt, id }) => [createdAt, id],
    )
