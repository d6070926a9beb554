import type { PaymentRecord } from '@prelude/contracts'
import { AppError, type Database } from '@prelude/platform'
import { applyReading } from './apply-reading.ts'
import { type Json, reference } from './domain/json.ts'
import { readRefunded } from './domain/stripe-reading.ts'
import type { StripeProvider } from './providers/stripe.ts'
import { type Payment, toRecord } from './store/payments.ts'

/** A refund as the provider stated it at `at`, in seconds since the epoch. Errors: payment_not_found. */
export const applyRefund = (
  db: Database,
  paymentId: string,
  made: Json,
  at: number,
): Promise<PaymentRecord> =>
  db.transaction(async (tx) => {
    const { payment } = await applyReading(tx, 'card', readRefunded(paymentId, made, at))
    if (payment === null) throw new AppError('payment_not_found')
    return toRecord(payment)
  })

/** What a refund is made of; null when nothing was paid. Errors: ProviderFailure. */
export async function intentOf(
  stripe: StripeProvider,
  { paymentIntent, sessionId }: Payment,
): Promise<string | null> {
  const session = paymentIntent === null && sessionId !== null ? await stripe.session(sessionId) : null
  return paymentIntent ?? reference(session, 'payment_intent')
}
