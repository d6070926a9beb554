import type { Clock, Database, Job } from '@prelude/platform'
import { applyRefund, intentOf } from '../refund-outcome.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { findPayment } from '../store/payments.ts'
import { dropUnmade, listUnfinished } from '../store/refunds.ts'
import { eachRow } from './each-row.ts'

/** The provider has answered by then, or its answer is lost. */
const ANSWERED_WITHIN_MS = 5_000
/** A request that has made no refund by then will make none. */
const MADE_WITHIN_MS = 10 * 60_000

/**
 * Looks at the provider for refunds whose answer was lost and whose webhook did not come. One that was not made is removed, so that
 * another sum can be refunded.
 */
export const finishRefunds = (db: Database, clock: Clock, stripe: StripeProvider): Job => ({
  name: 'finish-refunds',
  everyMs: 60_000,
  run: async (signal) => {
    const now = await clock.databaseNow(db)
    await eachRow(await listUnfinished(db, now - ANSWERED_WITHIN_MS), signal, async ({ id, paymentId }) => {
      const payment = await findPayment(db, paymentId)
      const paymentIntent = payment && (await intentOf(stripe, payment))
      const made = paymentIntent && (await stripe.findRefund({ id, paymentIntent }))
      if (made) await applyRefund(db, paymentId, made, Math.floor(clock.now() / 1000))
      else await dropUnmade(db, id, now - MADE_WITHIN_MS)
    })
  },
})
