import type { creditsApi, ReplyOf } from '@prelude/contracts'
import { type Database, paged, type RouteContext } from '@prelude/platform'
import { readDebtors } from '../store/accounts.ts'

export const listDebts =
  (db: Database) =>
  ({ query }: RouteContext<typeof creditsApi.debts>): Promise<ReplyOf<typeof creditsApi.debts>> =>
    paged(
      query,
      ['number', 'string'],
      (after, limit) => readDebtors(db, { after, limit }),
      ({ debtCents, uid }) => [debtCents, uid],
    )
