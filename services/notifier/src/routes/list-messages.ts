import type { notifierApi, ReplyOf } from '@prelude/contracts'
import {
  AppError,
  type Database,
  decodeCursor,
  encodeCursor,
  isId,
  type RouteContext,
} from '@prelude/platform'
import { listMessages as readMessages } from '../store/message.ts'

const DEFAULT_LIMIT = 50

export const listMessages =
  (db: Database) =>
  async ({
    query: { uid, cursor, limit = DEFAULT_LIMIT, unsent = false },
  }: RouteContext<typeof notifierApi.list>): Promise<ReplyOf<typeof notifierApi.list>> => {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string'])
    if (after !== undefined && !isId(after[1])) throw new AppError('invalid_cursor')
    // one more than asked for tells whether there is a next page
    const messages = await readMessages(db, { uid, unsent, after, limit: limit + 1 })
    const items = messages.slice(0, limit)
    const last = items.at(-1)
    return {
      items,
      nextCursor: messages.length > limit && last ? encodeCursor([last.createdAt, last.id]) : null,
    }
  }
