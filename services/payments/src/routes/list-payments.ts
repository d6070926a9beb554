import type { paymentsApi, ReplyOf } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { listPayments as readPayments } from '../store/payments.ts'

export const listPayments =
  (db: Database) =>
  ({
    query: { uid, ...page },
  }: RouteContext<typeof paymentsApi.list>): Promise<ReplyOf<typeof paymentsApi.list>> =>
    readPayments(db, { uid }, page)
