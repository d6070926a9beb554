import { creditsApi } from '@prelude/contracts'
import { decodeCursor, encodeCursor, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { readDebtors } from '../store/accounts.ts'
import type { RouteDeps } from './account.ts'

const DEFAULT_LIMIT = 50

export function debtsRoute(app: FastifyInstance, { db }: RouteDeps): void {
  route(app, creditsApi.debts, async ({ query: { cursor, limit = DEFAULT_LIMIT } }) => {
    const after = cursor === undefined ? null : decodeCursor(cursor, ['number', 'string'])
    const found = await readDebtors(db, { after, limit: limit + 1 })
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return {
      items,
      nextCursor: found.length > limit && last ? encodeCursor([last.debtCents, last.uid]) : null,
    }
  })
}
