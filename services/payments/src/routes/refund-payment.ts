import type { PaymentRecord } from '@prelude/contracts'
import { AppError, type Tx } from '@prelude/platform'
import type { Parts } from '../deps.ts'
import { reference, text } from '../domain/json.ts'
import { assertRefundable, refusalOf } from '../domain/refund-rules.ts'
import { readRefunded } from '../domain/stripe-reading.ts'
import { ProviderFailure } from '../providers/stripe.ts'
import { lockPayment, type Payment, toRecord } from '../store/payments.ts'
import { dropRefund, findRefund, finishRefund, insertRefund } from '../store/refunds.ts'
import { takeReading } from '../take-reading.ts'

interface Ask {
  readonly paymentId: string
  readonly refundId: string
  readonly amountCents: number
}

/**
 * Money back through the provider, once for a `refundId`; the ledger hears of it the same way as of a refund made at
 * the provider. Errors: payment_not_found, not_paid, refund_too_high, invalid_amount, checkout_unavailable.
 */
export async function refundPayment(parts: Parts, ask: Ask): Promise<PaymentRecord> {
  const { payment, isDone } = await parts.db.transaction((tx) => prepare(tx, ask))
  if (isDone) return toRecord(payment)
  const refund = await send(parts, payment, ask)
  return parts.db.transaction(async (tx) => {
    const taken = await takeReading(tx, 'card', readRefunded(ask.paymentId, refund))
    await finishRefund(tx, ask.refundId, text(refund, 'id') ?? '')
    if (taken.payment === null) throw new AppError('payment_not_found')
    return toRecord(taken.payment)
  })
}

/** Notes the wish before the call, so that a repeat after a crash does not fail the checks by its own effect. */
async function prepare(tx: Tx, ask: Ask): Promise<{ payment: Payment; isDone: boolean }> {
  const payment = await lockPayment(tx, ask.paymentId)
  if (payment === null || payment.status === 'creating') throw new AppError('payment_not_found')
  const known = await findRefund(tx, ask.refundId)
  if (known !== null) {
    if (known.paymentId !== payment.id || known.amountCents !== ask.amountCents)
      throw new AppError('idempotency_key_reused')
    return { payment, isDone: known.providerRefundId !== null }
  }
  assertRefundable(payment, ask.amountCents)
  await insertRefund(tx, { id: ask.refundId, paymentId: payment.id, amountCents: ask.amountCents })
  return { payment, isDone: false }
}

async function send({ db, stripe }: Parts, payment: Payment, ask: Ask) {
  try {
    const paymentIntent = payment.paymentIntent ?? (await fetchIntent(stripe, payment))
    const { refundId, paymentId, amountCents } = ask
    return await stripe.refund({ id: refundId, paymentId, paymentIntent, amountCents })
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !error.isFinal) throw error
    await dropRefund(db, ask.refundId)
    const code = refusalOf(error.reason)
    throw code === null ? error : new AppError(code, { cause: error })
  }
}

async function fetchIntent(stripe: Parts['stripe'], payment: Payment): Promise<string> {
  const session = payment.sessionId === null ? null : await stripe.session(payment.sessionId)
  const paymentIntent = reference(session, 'payment_intent')
  if (paymentIntent === null) throw new ProviderFailure(new Error('nothing was paid'), true, 'payment_intent')
  return paymentIntent
}
