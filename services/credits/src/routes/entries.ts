import { creditsApi } from '@prelude/contracts'
import { decodeCursor, encodeCursor, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { readEntries } from '../store/accounts.ts'
import { openedAccount, type RouteDeps } from './account.ts'

const DEFAULT_LIMIT = 50

export function entriesRoute(app: FastifyInstance, deps: RouteDeps): void {
  route(app, creditsApi.entries, async ({ params: { uid = '' }, query }) => {
    const before = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number'])[0]
    const limit = query.limit ?? DEFAULT_LIMIT
    if (before === null) await openedAccount(deps, uid) // the first line of a statement may be the starting credits
    const found = await readEntries(deps.db, uid, { before, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    return {
      items: page.map(({ entry }) => entry),
      nextCursor: found.length > limit && last ? encodeCursor([last.position]) : null,
    }
  })
}
