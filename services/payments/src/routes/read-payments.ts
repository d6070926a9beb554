import { type CheckoutSession, fromCents, type PaymentRecord } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { Parts } from '../deps.ts'
import { findPayment, findPaymentBySession, toRecord } from '../store/payments.ts'

/** Errors: payment_not_found. */
export async function readPayment({ db }: Parts, id: string): Promise<PaymentRecord> {
  const payment = await findPayment(db, id)
  if (payment === null) throw new AppError('payment_not_found')
  return toRecord(payment)
}

/** What the success page reads (spec §7); another person's is as unknown as none. Errors: session_not_found. */
export async function readSession({ db }: Parts, sessionId: string, uid: string): Promise<CheckoutSession> {
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
