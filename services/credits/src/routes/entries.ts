import { creditsApi } from '@prelude/contracts'
import { paged, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { readEntries } from '../store/accounts.ts'
import { openedAccount, type RouteDeps } from './account.ts'

export function entriesRoute(app: FastifyInstance, deps: RouteDeps): void {
  route(app, creditsApi.entries, async ({ params: { uid = '' }, query }) => {
    const { items, nextCursor } = await paged(
      query,
      ['number'],
      async (after, limit) => {
        const before = after?.[0] ?? null
        if (before === null) await openedAccount(deps, uid) // the first line of a statement may be the starting credits
        return readEntries(deps.db, uid, { before, limit })
      },
      ({ position }) => [position],
    )
    return { items: items.map(({ entry }) => entry), nextCursor }
  })
}
