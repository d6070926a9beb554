import type { notifierApi } from '@prelude/contracts'
import { type Database, paged, type RouteHandler } from '@prelude/platform'
import { listMessages as readMessages } from '../store/message.ts'

export const listMessages =
  (db: Database): RouteHandler<typeof notifierApi.list> =>
  ({ query: { uid, unsent = false, ...page } }) =>
    paged(
      page,
      ['number', 'id'],
      (after, limit) => readMessages(db, { uid, unsent, after, limit }),
      ({ createdAt, id }) => [createdAt, id],
    )
