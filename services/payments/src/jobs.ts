import type { Job } from '@prelude/platform'
import type { Parts } from './deps.ts'
import { text } from './domain/json.ts'
import { readTransaction } from './domain/paystack-reading.ts'
import type { Reading } from './domain/reading.ts'
import { readSession, STRIPE_EVENT_TYPES } from './domain/stripe-reading.ts'
import { takeStripeEvent } from './routes/receive-webhook.ts'
import { openCheckoutsOfClosed } from './store/closed-accounts.ts'
import { dropUnmade, listUnfinished, type Payment } from './store/payments.ts'
import { readMark, setMark } from './store/reconciled.ts'
import { storedEvents } from './store/webhook-events.ts'
import { takeReading } from './take-reading.ts'

const MINUTE_MS = 60_000
/** Webhooks come within seconds; what is younger is left to them. */
const SETTLING_MS = 10 * MINUTE_MS
/** A checkout can be paid for 24 hours; an hour more for clocks and late answers. */
const LIFETIME_MS = 25 * 60 * MINUTE_MS

/**
 * Compares the checkouts whose end we do not know with what the provider knows, for webhooks that never came
 * (or were lost with a restored backup), and closes those that can no longer be paid.
 */
export const reconcileCheckouts = (parts: Parts): Job => ({
  name: 'reconcile-checkouts',
  everyMs: 60 * MINUTE_MS,
  run: async (signal) => {
    const now = Date.now()
    const dropped = await dropUnmade(parts.db, now - LIFETIME_MS)
    if (dropped > 0) parts.logger.info({ dropped }, 'checkouts that were never opened are removed')
    let last: Payment | null = null
    while (!signal.aborted) {
      const batch: Payment[] = await listUnfinished(parts.db, now - SETTLING_MS, last)
      for (const payment of batch) {
        if (signal.aborted) return
        await reconcile(parts, payment, now - payment.createdAt > LIFETIME_MS)
      }
      last = batch.at(-1) ?? null
      if (last === null) return
    }
  },
})

async function reconcile(parts: Parts, payment: Payment, isOver: boolean): Promise<void> {
  const found = await ask(parts, payment)
  const reading = found ?? (isOver && payment.status === 'open' ? over(payment) : null)
  if (reading === null) return
  const { outcome } = await parts.db.transaction((tx) => takeReading(tx, payment.method, reading))
  parts.logger.info({ paymentId: payment.id, was: payment.status, outcome }, 'checkout reconciled')
}

async function ask({ stripe, paystack }: Parts, payment: Payment): Promise<Reading | null> {
  if (payment.sessionId === null) return null
  if (payment.method === 'card') {
    const session = await stripe.session(payment.sessionId)
    return session && readSession(session, Math.floor(Date.now() / 1000))
  }
  const transaction = await paystack?.transaction(payment.sessionId)
  const reading = transaction ? readTransaction(transaction, null) : null
  return reading?.observations.length ? reading : null
}

/** Nobody shall pay for an account that is closed; who just did is booked, and the operator told. */
export const endCheckoutsOfClosed = ({ db, stripe }: Parts): Job => ({
  name: 'end-checkouts-of-closed',
  everyMs: 10_000,
  run: async (signal) => {
    for (const checkout of await openCheckoutsOfClosed(db)) {
      if (signal.aborted) return
      const session = await stripe.expire(checkout.sessionId)
      const reading = session ? readSession(session, Math.floor(Date.now() / 1000)) : over(checkout)
      if (reading !== null) await db.transaction((tx) => takeReading(tx, 'card', reading))
    }
  },
})

const over = (payment: Pick<Payment, 'id'>): Reading => ({
  paymentId: payment.id,
  sessionId: null,
  paymentIntent: null,
  claim: null,
  observations: [{ kind: 'expired' }],
  receiptUrl: null,
  eventType: null,
})

/** Stripe keeps its events for 30 days. */
const EVENTS_KEPT_SECONDS = 29 * 24 * 60 * 60
/** Seen twice is better than never: clocks differ, and an event may be listed late. */
const OVERLAP_SECONDS = 60 * 60

/**
 * Compares what Stripe has told since the last round with what reached us, and takes what did not by the same path: a
 * refund or dispute of a paid checkout may be months later than its payment. After a restored backup it starts where
 * the backup ended.
 */
export const reconcileEvents = (parts: Parts): Job => ({
  name: 'reconcile-events',
  everyMs: 60 * MINUTE_MS,
  run: async (signal) => {
    const now = Math.floor(Date.now() / 1000)
    const mark = await readMark(parts.db, 'stripe')
    const since = Math.max(mark - OVERLAP_SECONDS, now - EVENTS_KEPT_SECONDS)
    let missed = 0
    let failed: unknown = null
    for await (const events of parts.stripe.events(STRIPE_EVENT_TYPES, since)) {
      const ids = events.map((event) => text(event, 'id') ?? '')
      const stored = await storedEvents(parts.db, 'stripe', ids)
      for (const event of events) {
        if (signal.aborted) return
        if (stored.has(text(event, 'id') ?? '')) continue
        missed++
        // one that cannot be taken holds up no other, but comes again in the next round
        await takeStripeEvent(parts, event).catch((error: unknown) => (failed ??= error))
      }
    }
    if (missed > 0) parts.logger.warn({ missed }, 'events of the payment provider had not reached us')
    if (failed !== null) throw failed
    await setMark(parts.db, 'stripe', now)
  },
})
