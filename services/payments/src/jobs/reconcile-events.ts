import type { Clock, Database, Job, Logger } from '@prelude/platform'
import { text } from '../domain/json.ts'
import { STRIPE_EVENT_TYPES } from '../domain/stripe-reading.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { readReconciledUntil, setReconciledUntil } from '../store/reconciled.ts'
import { storedEvents } from '../store/webhook-events.ts'
import { readStripeMessage, applyMessage } from '../apply-message.ts'

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
    let failed: unknown = null
    for await (const events of stripe.events(STRIPE_EVENT_TYPES, since)) {
      const ids = events.map((event) => text(event, 'id') ?? '')
      const stored = await storedEvents(db, 'stripe', ids)
      for (const event of events) {
        if (signal.aborted) return
        if (stored.has(text(event, 'id') ?? '')) continue
        missed++
        try {
          await applyMessage(deps, readStripeMessage(event))
        } catch (error) {
          failed ??= error // the other events are taken; this one is listed again in the next round
        }
      }
    }
    if (missed > 0) logger.warn({ missed }, 'events of the payment provider had not reached us')
    if (failed !== null) throw failed
    await setReconciledUntil(db, 'stripe', now)
  },
})
