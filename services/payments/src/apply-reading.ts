import { PaymentReinstated, PaymentReversed, PaymentSucceeded, PaymentSuspicious } from '@prelude/contracts'
import type { Tx } from '@prelude/platform'
import { type Facts, newsFor, observe, reversalId, standing } from './domain/facts.ts'
import { mismatchOf, type Reading } from './domain/reading.ts'
import { readStripeEvent, stripeEvent } from './domain/stripe-reading.ts'
import {
  lockPayment,
  lockPaymentByIntent,
  lockPaymentBySession,
  type Payment,
  updatePayment,
} from './store/payments.ts'
import { finishRefund } from './store/refunds.ts'
import { closeEvent, lockIntent, type Outcome, unmatchedEvents } from './store/webhook-events.ts'

export interface Applied {
  readonly outcome: Outcome
  readonly payment: Payment | null
}

/**
 * The one way by which a provider's statement changes a payment, whether it came by webhook, as the answer to a call or
 * by reconciliation.
 */
export async function applyReading(tx: Tx, method: Payment['method'], reading: Reading): Promise<Applied> {
  if (reading.paymentIntent !== null) await lockIntent(tx, reading.paymentIntent)
  const payment = await lockPaymentOf(tx, reading)
  if (payment === null || payment.method !== method) {
    const mayBeOurs = reading.claim?.sessionId === undefined && reading.paymentIntent !== null
    return { outcome: mayBeOurs ? 'unmatched' : 'ignored', payment: null }
  }
  const applied = await applyTo(tx, payment, reading)
  if (applied.outcome !== 'applied' || reading.paymentIntent === null) return applied
  return payment.paymentIntent === null ? applyUnmatched(tx, applied, reading.paymentIntent) : applied
}

async function lockPaymentOf(tx: Tx, reading: Reading): Promise<Payment | null> {
  return (
    (reading.paymentId === null ? null : await lockPayment(tx, reading.paymentId)) ??
    (reading.sessionId === null ? null : await lockPaymentBySession(tx, reading.sessionId)) ??
    (reading.paymentIntent === null ? null : await lockPaymentByIntent(tx, reading.paymentIntent))
  )
}

/** Applies refunds and disputes that came before their checkout was known. */
async function applyUnmatched(tx: Tx, applied: Applied, paymentIntent: string): Promise<Applied> {
  let { payment } = applied
  for (const waiting of await unmatchedEvents(tx, paymentIntent)) {
    const event = stripeEvent(waiting.kept)
    const reading = event && readStripeEvent(event)
    if (!reading || !payment) continue
    const next = await applyTo(tx, payment, reading)
    payment = next.payment
    await closeEvent(tx, { provider: 'stripe', id: waiting.id }, next.outcome, payment)
  }
  return { ...applied, payment }
}

async function applyTo(tx: Tx, payment: Payment, reading: Reading): Promise<Applied> {
  const mismatch = reading.claim && mismatchOf(payment, reading.claim)
  if (mismatch) return { outcome: 'suspicious', payment: await suspect(tx, payment, mismatch) }
  const { amountCents, creditsCents } = payment
  if (amountCents === null || creditsCents === null) throw new Error(`payment ${payment.id} has no sum`)
  const facts = reading.observations.reduce(observe, payment.facts)
  const now = standing(facts, { amountCents, creditsCents })
  const news = newsFor(payment, now)
  const person = { paymentId: payment.id, uid: payment.uid }
  if (news.succeeded) tx.emit(PaymentSucceeded, { ...person, credits: creditsCents, method: payment.method })
  // its credits cannot be spent: the operator refunds it
  if (news.succeeded && payment.erased) tx.emit(PaymentSuspicious, { ...person, reason: 'account_closed' })
  if (news.reversalCents !== 0) {
    const event = news.reversalCents > 0 ? PaymentReversed : PaymentReinstated
    const credits = Math.abs(news.reversalCents)
    tx.emit(event, { ...person, credits, reversalId: reversalId(payment.id, news.reported.reversalCount) })
  }
  const after = await updatePayment(tx, payment, {
    facts,
    // a message about a session proves that the provider has it, even when its answer to our call is still in flight
    status: reading.observations.length > 0 ? now.status : payment.status,
    refundedCents: now.refundedCents,
    ...news.reported,
    sessionId: payment.sessionId ?? reading.sessionId,
    paymentIntent: payment.paymentIntent ?? reading.paymentIntent,
    receiptUrl: payment.erased ? null : (reading.receiptUrl ?? payment.receiptUrl),
    lastEventType: reading.eventType ?? payment.lastEventType,
  })
  if (reading.refund) await finishRefund(tx, reading.refund.id, reading.refund.providerRefundId)
  for (const refundId of failedRefunds(facts))
    if (!failedRefunds(payment.facts).includes(refundId))
      tx.emit(PaymentSuspicious, { ...person, reason: `refund_failed ${refundId}` })
  if (reading.alarm !== undefined)
    return { outcome: 'applied', payment: await suspect(tx, after, reading.alarm) }
  return { outcome: 'applied', payment: after }
}

/** Money that was refunded and came back: the operator has to pay it out in another way. */
const failedRefunds = (facts: Facts): string[] =>
  Object.keys(facts.refunds).filter((id) => facts.refunds[id]?.failedAt != null)

/** One event, and so one mail to the operator, for each kind of mismatch and each alarm. */
async function suspect(tx: Tx, payment: Payment, reason: string): Promise<Payment> {
  if (payment.suspicions.includes(reason)) return payment
  tx.emit(PaymentSuspicious, { paymentId: payment.id, uid: payment.uid, reason })
  return updatePayment(tx, payment, { suspicions: [...payment.suspicions, reason] })
}
