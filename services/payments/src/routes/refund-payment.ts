import type { PaymentRecord, paymentsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext, type Tx } from '@prelude/platform'
import { reference, text } from '../domain/json.ts'
import { assertRefundable, refusalOf } from '../domain/refund-rules.ts'
import { readRefunded } from '../domain/stripe-reading.ts'
import { ProviderFailure } from '../providers/provider-failure.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { lockPayment, type Payment, toRecord } from '../store/payments.ts'
import { dropRefund, findRefund, finishRefund, insertRefund } from '../store/refunds.ts'
import { applyReading } from '../apply-reading.ts'

interface Order {
  readonly paymentId: string
  readonly refundId: string
  readonly amountCents: number
}

/**
 * Money back through the provider, once per `refundId`; the ledger learns of it by the same event as of a refund made at
 * the provider. Errors: payment_not_found, not_paid, refund_too_high, invalid_amount, checkout_unavailable.
 */
export const refundPayment =
  (db: Database, stripe: StripeProvider) =>
  async ({
    params: { id: paymentId = '', refundId = '' },
    body: { amountCents },
  }: RouteContext<typeof paymentsApi.refund>): Promise<PaymentRecord> => {
    const order = { paymentId, refundId, amountCents }
    const { payment, isDone } = await db.transaction((tx) => prepare(tx, order))
    if (isDone) return toRecord(payment)
    const refund = await send(db, stripe, payment, order)
    return db.transaction(async (tx) => {
      const applied = await applyReading(tx, 'card', readRefunded(paymentId, refund))
      await finishRefund(tx, refundId, text(refund, 'id') ?? '')
      if (applied.payment === null) throw new AppError('payment_not_found')
      return toRecord(applied.payment)
    })
  }

/** Stores the refund before the call, so that a repeat after a crash does not fail the checks by its own effect. */
async function prepare(tx: Tx, order: Order): Promise<{ payment: Payment; isDone: boolean }> {
  const payment = await lockPayment(tx, order.paymentId)
  if (payment === null || payment.status === 'creating') throw new AppError('payment_not_found')
  const known = await findRefund(tx, order.refundId)
  if (known !== null) {
    if (known.paymentId !== payment.id || known.amountCents !== order.amountCents)
      throw new AppError('idempotency_key_reused')
    return { payment, isDone: known.providerRefundId !== null }
  }
  assertRefundable(payment, order.amountCents)
  await insertRefund(tx, { id: order.refundId, paymentId: payment.id, amountCents: order.amountCents })
  return { payment, isDone: false }
}

async function send(db: Database, stripe: StripeProvider, payment: Payment, order: Order) {
  try {
    const paymentIntent = payment.paymentIntent ?? (await fetchIntent(stripe, payment))
    const { refundId, paymentId, amountCents } = order
    return await stripe.refund({ id: refundId, paymentId, paymentIntent, amountCents })
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !error.isFinal) throw error
    await dropRefund(db, order.refundId)
    const code = refusalOf(error.reason)
    throw code === null ? error : new AppError(code, { cause: error })
  }
}

async function fetchIntent(stripe: StripeProvider, payment: Payment): Promise<string> {
  const session = payment.sessionId === null ? null : await stripe.session(payment.sessionId)
  const paymentIntent = reference(session, 'payment_intent')
  if (paymentIntent === null) throw new ProviderFailure(new Error('nothing was paid'), true, 'payment_intent')
  return paymentIntent
}
