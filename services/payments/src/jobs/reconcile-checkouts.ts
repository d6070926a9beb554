import { type Clock, type Database, deleteInSteps, type Job, type Logger } from '@prelude/platform'
import { readTransaction } from '../domain/paystack-reading.ts'
import { expired, type Reading } from '../domain/reading.ts'
import { readSession } from '../domain/stripe-reading.ts'
import type { PaystackProvider } from '../providers/paystack.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { listUnfinished, type Payment, unmade } from '../store/payments.ts'
import { applyReading } from '../apply-reading.ts'

const MINUTE_MS = 60_000
/** Webhooks come within seconds; younger payments are left to them. */
const SETTLING_MS = 10 * MINUTE_MS
/** A checkout can be paid for 24 hours; an hour more for clocks and late answers. */
const LIFETIME_MS = 25 * 60 * MINUTE_MS

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly stripe: StripeProvider
  readonly paystack: PaystackProvider | null
}

/**
 * Asks the provider about unfinished checkouts, for webhooks that never came (or were lost with a restored backup), and
 * expires those that can no longer be paid.
 */
export const reconcileCheckouts = (deps: Deps): Job => ({
  name: 'reconcile-checkouts',
  everyMs: 60 * MINUTE_MS,
  run: async (signal) => {
    const now = await deps.clock.databaseNow(deps.db)
    await deleteInSteps(deps.db, unmade(now - LIFETIME_MS), signal)
    let last: Payment | null = null
    /** Of providers that did not answer: asking on would take a timeout for each payment. */
    const failed = new Map<Payment['method'], unknown>()
    while (!signal.aborted) {
      const batch: Payment[] = await listUnfinished(deps.db, now - SETTLING_MS, last)
      for (const payment of batch) {
        if (signal.aborted) return
        if (failed.has(payment.method)) continue
        try {
          await reconcile(deps, payment, now - payment.createdAt > LIFETIME_MS)
        } catch (error) {
          failed.set(payment.method, error)
        }
      }
      last = batch.at(-1) ?? null
      if (last === null) break
    }
    for (const error of failed.values()) throw error
  },
})

async function reconcile(deps: Deps, payment: Payment, isOver: boolean): Promise<void> {
  const found = await readAtProvider(deps, payment)
  const reading = found ?? (isOver && payment.status === 'open' ? expired(payment.id) : null)
  if (reading === null) return
  const { outcome } = await deps.db.transaction((tx) => applyReading(tx, payment.method, reading))
  deps.logger.info({ paymentId: payment.id, was: payment.status, outcome }, 'checkout reconciled')
}

async function readAtProvider({ clock, stripe, paystack }: Deps, payment: Payment): Promise<Reading | null> {
  if (payment.sessionId === null) return null
  if (payment.method === 'card') {
    const session = await stripe.session(payment.sessionId)
    return session && readSession(session, Math.floor(clock.now() / 1000))
  }
  const transaction = await paystack?.transaction(payment.sessionId)
  const reading = transaction ? readTransaction(transaction, null) : null
  return reading?.observations.length ? reading : null
}
