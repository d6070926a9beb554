import type { creditsApi } from '@prelude/contracts'
import { type Database, paged, type RouteHandler } from '@prelude/platform'
import { readEntries } from '../store/accounts.ts'
import type { Ledger } from '../store/ledger.ts'
import { openedAccount } from './get-account.ts'

export const listEntries =
  (db: Database, ledger: Ledger): RouteHandler<typeof creditsApi.entries> =>
  async ({ params: { uid = '' }, query }) => {
    const { items, nextCursor } = await paged(
      query,
      ['number'],
      async (after, limit) => {
        const before = after?.[0] ?? null
        if (before === null) await openedAccount(db, ledger, uid) // the oldest entry may be the starting credits
        return readEntries(db, uid, { before, limit })
      },
      ({ position }) => [position],
    )
    return { items: items.map(({ entry }) => entry), nextCursor }
  }
