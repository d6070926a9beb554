import type { Clock, Database, Job, Logger } from '@prelude/platform'
import { type Json, text } from '../domain/json.ts'
import { STRIPE_EVENT_TYPES } from '../domain/stripe-reading.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { readReconciledUntil, setReconciledUntil } from '../store/reconciled.ts'
import { storedEvents } from '../store/webhook-events.ts'
import { readStripeMessage, applyMessage } from '../apply-message.ts'
import { eachRow } from './each-row.ts'

/** Stripe keeps its events for 30 days. */
const EVENTS_KEPT_SECONDS = 29 * 24 * 60 * 60
/** Listed again in the next round: clocks differ, and an event may be listed late. Stored events are skipped. */
const OVERLAP_SECONDS = 60 * 60

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly stripe: StripeProvider
  readonly logger: Logger
}

/**
 * Lists Stripe's events since the last round and takes those that are not stored, as a webhook would: a refund or dispute
 * of a paid checkout may be months later than its payment. After a restored backup it starts where the backup ended.
 */
export const reconcileEvents = (deps: Deps): Job => ({
  name: 'reconcile-events',
  everyMs: 60 * 60_000,
  run: async (signal) => {
    const { db, clock, stripe, logger } = deps
    const now = Math.floor((await clock.databaseNow(db)) / 1000)
    const reconciledUntil = await readReconciledUntil(db, 'stripe')
    const since = Math.max(reconciledUntil - OVERLAP_SECONDS, now - EVENTS_KEPT_SECONDS)
    let missed = 0
    const round = eachRow(missing(db, stripe.events(STRIPE_EVENT_TYPES, since)), signal, async (event) => {
      missed++
      await applyMessage(deps, readStripeMessage(event))
    })
    // an event that fails is listed again in the next round
    await round.finally(() => {
      if (missed > 0) logger.warn({ missed }, 'events of the payment provider had not reached us')
    })
    if (signal.aborted) return
    await setReconciledUntil(db, 'stripe', now)
  },
})

async function* missing(db: Database, pages: AsyncIterable<readonly Json[]>): AsyncGenerator<Json> {
  for await (const events of pages) {
    const idOf = (event: Json): string => text(event, 'id') ?? ''
    const stored = await storedEvents(db, 'stripe', events.map(idOf))
    yield* events.filter((event) => !stored.has(idOf(event)))
  }
}
