import type { paymentsApi, ReplyOf } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { listPayments } from '../store/payments.ts'

/** Bank transfers that wait for the operator. */
export const listTransfers =
  (db: Database) =>
  ({
    query,
  }: RouteContext<typeof paymentsApi.listTransfers>): Promise<ReplyOf<typeof paymentsApi.listTransfers>> =>
    listPayments(db, { openTransfers: true }, query)
