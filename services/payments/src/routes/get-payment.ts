import type { paymentsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteHandler } from '@prelude/platform'
import { findPayment, toRecord } from '../store/payments.ts'

export const getPayment =
  (db: Database): RouteHandler<typeof paymentsApi.get> =>
  async ({ params: { id = '' } }) => {
    const payment = await findPayment(db, id)
    if (payment === null) throw new AppError('payment_not_found')
    return toRecord(payment)
  }
