import type { Job } from '@prelude/platform'
import type { Parts } from './deps.ts'
import { readTransaction } from './domain/paystack-reading.ts'
import type { Reading } from './domain/reading.ts'
import { readSession } from './domain/stripe-reading.ts'
import { dropUnmade, listUnfinished, type Payment } from './store/payments.ts'
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
  const readings = await ask(parts, payment)
  if (readings.length === 0 && isOver && payment.status === 'open') readings.push(over(payment))
  if (readings.length === 0) return
  const outcomes = await parts.db.transaction(async (tx) => {
    const seen: string[] = []
    for (const reading of readings) {
      const { outcome } = await takeReading(tx, payment.method, reading)
      seen.push(outcome)
      if (outcome === 'suspicious') break
    }
    return seen
  })
  parts.logger.info({ paymentId: payment.id, was: payment.status, outcomes }, 'checkout reconciled')
}

async function ask({ stripe, paystack }: Parts, payment: Payment): Promise<Reading[]> {
  if (payment.sessionId === null) return []
  if (payment.method === 'card') {
    const session = await stripe.session(payment.sessionId)
    return session === null ? [] : readSession(session)
  }
  const transaction = await paystack?.transaction(payment.sessionId)
  const reading = transaction ? readTransaction(transaction, null) : null
  return reading?.observation ? [reading] : []
}

const over = (payment: Payment): Reading => ({
  paymentId: payment.id,
  sessionId: null,
  paymentIntent: null,
  claim: null,
  observation: { kind: 'expired' },
  receiptUrl: null,
  eventType: null,
})
