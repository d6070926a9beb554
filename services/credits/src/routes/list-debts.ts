import type { creditsApi } from '@prelude/contracts'
import { type Database, paged, type RouteHandler } from '@prelude/platform'
import { readDebtors } from '../store/accounts.ts'

export const listDebts =
  (db: Database): RouteHandler<typeof creditsApi.debts> =>
  ({ query }) =>
    paged(
      query,
      ['number', 'string'],
      (after, limit) => readDebtors(db, { after, limit }),
      ({ debtCents, uid }) => [debtCents, uid],
    )
