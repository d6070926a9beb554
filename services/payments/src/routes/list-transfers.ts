import type { paymentsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { listPayments } from '../store/payments.ts'

/** Bank transfers that wait for the operator. */
export const listTransfers =
  (db: Database): RouteHandler<typeof paymentsApi.listTransfers> =>
  ({ query }) =>
    listPayments(db, { openTransfers: true }, query)
