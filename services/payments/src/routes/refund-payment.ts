import type { PaymentRecord, paymentsApi } from '@prelude/contracts'
import { AppError, type Clock, type Database, type RouteHandler, type Tx } from '@prelude/platform'
import { type Json, whole } from '../domain/json.ts'
import { assertRefundable, refusalOf } from '../domain/refund-rules.ts'
import { ProviderFailure } from '../providers/provider-failure.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { applyRefund, intentOf } from '../refund-outcome.ts'
import { lockPayment, type Payment, toRecord } from '../store/payments.ts'
import {
  countAttempt,
  dropRefund,
  findRefund,
  findUnfinished,
  insertRefund,
  markAsked,
  type Refund,
} from '../store/refunds.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly stripe: StripeProvider
}

interface Order {
  readonly paymentId: string
  readonly refundId: string
  readonly amountCents: number
}

interface Prepared {
  readonly payment: Payment
  readonly refund: Refund
  /** The provider was asked for it before, and may have made it. */
  readonly isRepeat: boolean
}

/**
 * Money back through the provider, once per `refundId`; the ledger learns of it by the same event as of a refund made at
 * the provider. Errors: payment_not_found, not_paid, refund_too_high,
 * refund_under_way, invalid_amount, checkout_unavailable.
 */
export const refundPayment =
  (deps: Deps): RouteHandler<typeof paymentsApi.refund> =>
  ({ params, body }) =>
    refundOnce(deps, {
      paymentId: params['id'] ?? '',
      refundId: params['refundId'] ?? '',
      amountCents: body.amountCents,
    })

async function refundOnce({ db, clock, stripe }: Deps, order: Order): Promise<PaymentRecord> {
  const { payment, refund, isRepeat } = await db.transaction((tx) => prepare(tx, clock, order))
  if (refund.providerRefundId !== null) return toRecord(payment)
  const paymentIntent = await intentOf(stripe, payment)
  if (paymentIntent === null) throw new AppError('checkout_unavailable', { cause: 'nothing was paid' })
  const found = isRepeat ? await stripe.findRefund({ id: refund.id, paymentIntent }) : null
  if (found) return applyRefund(db, payment.id, found, Math.floor(clock.now() / 1000))
  const made = await request(db, stripe, refund, paymentIntent)
  return applyRefund(db, payment.id, made, whole(made, 'created') ?? 0)
}

/**
 * Stores the refund before the call, so that a repeat after a crash does not fail the checks by its own effect. While a refund of the
 * payment has no outcome, an order of the same sum is that refund again, and one of another sum is refused.
 */
async function prepare(tx: Tx, clock: Clock, order: Order): Promise<Prepared> {
  const payment = await lockPayment(tx, order.paymentId)
  if (payment === null || payment.status === 'creating') throw new AppError('payment_not_found')
  const now = await clock.databaseNow(tx)
  const known = await findRefund(tx, order.refundId)
  if (known && (known.paymentId !== payment.id || known.amountCents !== order.amountCents))
    throw new AppError('idempotency_key_reused')
  const refund = known ?? (await insertOrder(tx, payment, order, now))
  const first = refund.continues === null ? null : await findRefund(tx, refund.continues)
  const asked = first ?? refund
  await markAsked(tx, asked.id, now)
  return { payment, refund: asked, isRepeat: known !== null || first !== null }
}

/** Errors: invalid_amount, not_paid, refund_too_high, refund_under_way. */
async function insertOrder(
  tx: Tx,
  payment: Payment,
  { refundId: id, amountCents }: Order,
  now: number,
): Promise<Refund> {
  const order = { id, paymentId: payment.id, amountCents }
  const pending = await findUnfinished(tx, order)
  const isPending = pending?.amountCents === amountCents
  // it may have been made already: then the payment has less left than the sum
  if (!isPending) assertRefundable(payment, amountCents)
  if (pending && !isPending) throw new AppError('refund_under_way')
  const refund = { ...order, continues: pending?.id ?? null }
  await insertRefund(tx, refund, now)
  return { ...refund, attempts: 0, providerRefundId: null }
}

async function request(
  db: Database,
  stripe: StripeProvider,
  refund: Refund,
  paymentIntent: string,
): Promise<Json> {
  const { id, paymentId, amountCents, attempts } = refund
  const idempotencyKey = attempts === 0 ? id : `${id}:${attempts}`
  try {
    return await stripe.refund({ id, paymentId, paymentIntent, amountCents, idempotencyKey })
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !error.isFinal) throw error
    if (!error.isRefusal) {
      await countAttempt(db, refund)
      throw error
    }
    await db.transaction(async (tx) => {
      await lockPayment(tx, paymentId)
      await dropRefund(tx, id)
    })
    const code = refusalOf(error.reason)
    throw code === null ? error : new AppError(code, { cause: error })
  }
}
