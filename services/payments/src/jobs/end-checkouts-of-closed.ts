import type { Clock, Database, Job } from '@prelude/platform'
import { expired } from '../domain/reading.ts'
import { readSession } from '../domain/stripe-reading.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { openCheckoutsOfClosed } from '../store/closed-accounts.ts'
import { applyReading } from '../apply-reading.ts'
import { eachRow, everyPage } from './each-row.ts'

/** Expires the open checkouts of closed accounts. One that was just paid is booked, and the operator gets a mail. */
export const endCheckoutsOfClosed = (db: Database, clock: Clock, stripe: StripeProvider): Job => ({
  name: 'end-checkouts-of-closed',
  everyMs: 10_000,
  run: (signal) =>
    eachRow(
      everyPage((after) => openCheckoutsOfClosed(db, after)),
      signal,
      async (checkout) => {
        const session = await stripe.expire(checkout.sessionId)
        const reading = session ? readSession(session, Math.floor(clock.now() / 1000)) : expired(checkout.id)
        if (reading !== null) await db.transaction((tx) => applyReading(tx, 'card', reading))
      },
    ),
})
