import type { PaymentRecord, paymentsApi } from '@prelude/contracts'
import { AppError, type Clock, type Database, type RouteContext, type Tx } from '@prelude/platform'
import { type Json, reference, text, whole } from '../domain/json.ts'
import { assertRefundable, refusalOf } from '../domain/refund-rules.ts'
import { readRefunded } from '../domain/stripe-reading.ts'
import { ProviderFailure } from '../providers/provider-failure.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { lockPayment, type Payment, toRecord } from '../store/payments.ts'
import {
  dropRefund,
  findRefund,
  findOfUnknownOutcome,
  finishRefund,
  insertRefund,
  markOutcomeUnknown,
  type Refund,
} from '../store/refunds.ts'
import { applyReading } from '../apply-reading.ts'

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
 * the provider. Errors: payment_not_found, not_paid, refund_too_high, invalid_amount, checkout_unavailable.
 */
export const refundPayment =
  (deps: Deps) =>
  ({ params, body }: RouteContext<typeof paymentsApi.refund>): Promise<PaymentRecord> =>
    refundOnce(deps, {
      paymentId: params['id'] ?? '',
      refundId: params['refundId'] ?? '',
      amountCents: body.amountCents,
    })

async function refundOnce(deps: Deps, order: Order): Promise<PaymentRecord> {
  const { db, clock, stripe } = deps
  const { payment, refund, isRepeat } = await db.transaction((tx) => prepare(tx, clock, order))
  if (refund.providerRefundId !== null) return toRecord(payment)
  const outcomeUnknown = async (error: unknown): Promise<never> => {
    await markOutcomeUnknown(db, refund, { isError: false }).catch(() => {})
    throw error
  }
  const paymentIntent = payment.paymentIntent ?? (await fetchIntent(stripe, payment).catch(outcomeUnknown))
  const found = isRepeat
    ? await stripe.findRefund({ id: refund.id, paymentIntent }).catch(outcomeUnknown)
    : null
  if (found && refund.id !== order.refundId && isKnown(payment, found)) {
    // its outcome was known to the operator: this order is meant as another refund
    await db.transaction((tx) => finishEarlier(tx, order, refund, found))
    return refundOnce(deps, order)
  }
  const made = found ?? (await request(db, stripe, refund, paymentIntent))
  const at = found ? Math.floor(clock.now() / 1000) : (whole(made, 'created') ?? 0)
  return db
    .transaction(async (tx) => {
      const applied = await applyReading(tx, 'card', readRefunded(order.paymentId, made, at))
      if (applied.payment === null) throw new AppError('payment_not_found')
      return toRecord(applied.payment)
    })
    .catch(outcomeUnknown)
}

/**
 * Stores the refund before the call, so that a repeat after a crash does not fail the checks by its own effect. While the
 * outcome of a refund is not known, an order of the same sum is that refund again: the operator has seen no answer.
 */
async function prepare(tx: Tx, clock: Clock, order: Order): Promise<Prepared> {
  const payment = await lockPayment(tx, order.paymentId)
  if (payment === null || payment.status === 'creating') throw new AppError('payment_not_found')
  const known = await findRefund(tx, order.refundId)
  if (known !== null) {
    if (known.paymentId !== payment.id || known.amountCents !== order.amountCents)
      throw new AppError('idempotency_key_reused')
    const continued = known.continues === null ? null : await findRefund(tx, known.continues)
    return { payment, refund: continued ?? known, isRepeat: true }
  }
  const refund = { id: order.refundId, paymentId: payment.id, amountCents: order.amountCents }
  const now = await clock.databaseNow(tx)
  const pending = await findOfUnknownOutcome(tx, refund, now)
  if (pending === null) assertRefundable(payment, order.amountCents)
  const inserted = { ...refund, continues: pending?.id ?? null }
  await insertRefund(tx, inserted, now)
  const isNew = { ...inserted, attempts: 0, providerRefundId: null }
  return { payment, refund: pending ?? isNew, isRepeat: pending !== null }
}

/** A webhook has said so, which the payment's page shows. */
const isKnown = ({ facts }: Payment, made: Json): boolean =>
  Object.hasOwn(facts.refunds, text(made, 'id') ?? '')

async function finishEarlier(
  tx: Tx,
  { paymentId, refundId }: Order,
  refund: Refund,
  made: Json,
): Promise<void> {
  await lockPayment(tx, paymentId)
  await dropRefund(tx, refundId)
  await finishRefund(tx, refund.id, text(made, 'id') ?? '')
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
    if (!(error instanceof ProviderFailure)) throw error
    if (!error.isRefusal) {
      await markOutcomeUnknown(db, refund, { isError: error.isFinal })
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

async function fetchIntent(stripe: StripeProvider, payment: Payment): Promise<string> {
  const session = payment.sessionId === null ? null : await stripe.session(payment.sessionId)
  const paymentIntent = reference(session, 'payment_intent')
  if (paymentIntent === null) throw new AppError('checkout_unavailable', { cause: 'nothing was paid' })
  return paymentIntent
}
