import type { paymentsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { listPayments as readPayments } from '../store/payments.ts'

export const listPayments =
  (db: Database): RouteHandler<typeof paymentsApi.list> =>
  ({ query: { uid, ...page } }) =>
    readPayments(db, { uid }, page)
