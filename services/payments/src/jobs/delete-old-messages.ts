import { type Clock, type Database, deleteInSteps, type Job } from '@prelude/platform'
import { withoutEffect } from '../store/webhook-events.ts'

/** Providers repeat a message for days, and Stripe lists its events for 30. */
const KEPT_MS = 90 * 24 * 60 * 60_000

/** Messages about nothing of ours: other products may be on the same account of the provider. */
export const deleteOldMessages = (db: Database, clock: Clock): Job => ({
  name: 'delete-old-messages',
  everyMs: 60 * 60_000,
  run: async (signal) => deleteInSteps(db, withoutEffect((await clock.databaseNow(db)) - KEPT_MS), signal),
})
