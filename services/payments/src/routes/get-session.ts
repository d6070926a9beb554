import { fromCents, type paymentsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteHandler } from '@prelude/platform'
import { findPaymentBySession } from '../store/payments.ts'

/** The state of a checkout for the success page. Another person's session is not found. */
export const getSession =
  (db: Database): RouteHandler<typeof paymentsApi.session> =>
  async ({ params: { sessionId = '' }, query: { uid } }) => {
    const payment = await findPaymentBySession(db, sessionId)
    if (payment === null || payment.uid !== uid || payment.status === 'creating')
      throw new AppError('session_not_found')
    const amount = String(fromCents(payment.creditsCents ?? 0)) // dollars, also where Naira are charged
    return {
      metadata: { userId: uid, amount, myamount: amount },
      eventType: payment.lastEventType,
      status: payment.status,
      credited: payment.credited,
    }
  }
