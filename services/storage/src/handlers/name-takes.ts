import type { TakesChanged } from '@prelude/contracts'
import type { Clock, Handler } from '@prelude/platform'
import { postpone, queue } from '../store/analysis.ts'
import { nameTakes as name } from '../store/audio.ts'
import { markUsed } from '../store/drafts.ts'

/** The operator who replaces one version may replace the other one next. */
const AFTER_REPLACEMENT_MS = 5_000

/** Keeps the objects of the takes, gives up those that they replaced, and queues the analysis, which takes seconds, for a job. */
export const nameTakes =
  (clock: Clock): Handler<typeof TakesChanged> =>
  async ({ data, position }, tx) => {
    const { songId, uid } = data
    const now = await clock.databaseNow(tx)
    if (!(await queue(tx, { songId, uid, position }, now))) return
    const hasReplaced = await name(tx, data, now)
    await markUsed(tx, songId, now)
    if (hasReplaced) await postpone(tx, songId, now + AFTER_REPLACEMENT_MS)
  }
