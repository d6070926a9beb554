import type { PaymentRecord, paymentsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { findPayment, toRecord } from '../store/payments.ts'

export const getPayment =
  (db: Database) =>
  async ({ params: { id = '' } }: RouteContext<typeof paymentsApi.get>): Promise<PaymentRecord> => {
    const payment = await findPayment(db, id)
    if (payment === null) throw new AppError('payment_not_found')
    return toRecord(payment)
  }
