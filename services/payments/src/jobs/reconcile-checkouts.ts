import { type Clock, type Database, deleteInSteps, type Job, type Logger } from '@prelude/platform'
import { readTransaction } from '../domain/paystack-reading.ts'
import { expired, type Reading } from '../domain/reading.ts'
import { readSession } from '../domain/stripe-reading.ts'
import type { PaystackProvider } from '../providers/paystack.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { listUnfinished, type Payment, unmade } from '../store/payments.ts'
import { applyReading } from '../apply-reading.ts'
import { eachRow, everyPage } from './each-row.ts'

const MINUTE_MS = 60_000
/** Webhooks come within seconds; younger payments are left to them. */
const SETTLING_MS = 10 * MINUTE_MS
/** A checkout can be paid for 24 hours; an hour more for clocks and late answers. */
const LIFETIME_MS = 25 * 60 * MINUTE_MS

const PROVIDERS: readonly Payment['method'][] = ['card', 'alternate']

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
    const rounds = PROVIDERS.map((method) =>
      eachRow(
        everyPage((after) => listUnfinished(deps.db, method, now - SETTLING_MS, after)),
        signal,
        (payment) => reconcile(deps, payment, now - payment.createdAt > LIFETIME_MS),
      ),
    )
    // one that is down keeps no checkout of the other waiting
    for (const ended of await Promise.allSettled(rounds)) if (ended.status === 'rejected') throw ended.reason
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
