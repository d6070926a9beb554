import type { Clock, Database, Job } from '@prelude/platform'
import { DELETE_AGAIN_MS } from '../delete-object.ts'
import { deleteRemoved, removeUnused } from '../store/drafts.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** A task is lost an hour after it was sent. */
const TASK_OVER_MS = 2 * HOUR_MS

/** Removes ready drafts that nobody used for `draftDays`, and what is left of those of closed songs. */
export const removeDrafts = (
  { db, clock }: { db: Database; clock: Clock },
  { draftDays, hasGenerator }: { draftDays: number; hasGenerator: boolean },
): Job => ({
  name: 'remove-drafts',
  everyMs: hasGenerator ? MINUTE_MS : HOUR_MS,
  run: async () => {
    const now = await clock.databaseNow(db)
    await db.transaction((tx) => removeUnused(tx, now - draftDays * DAY_MS, now + DELETE_AGAIN_MS))
    await deleteRemoved(db, now - TASK_OVER_MS)
  },
})
