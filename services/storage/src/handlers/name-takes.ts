import type { TakesChanged } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queue } from '../store/analysis.ts'
import { nameTakes as name } from '../store/audio.ts'

/** The operator who replaces one version may replace the other one next. */
const AFTER_REPLACEMENT_MS = 5_000

/** Keeps the objects of the takes, gives up those that they replaced, and queues the analysis, which takes seconds, for a job. */
export const nameTakes: Handler<typeof TakesChanged> = async ({ data: { songId, uid, takes } }, tx) => {
  const hasReplaced = await name(tx, songId, takes)
  await queue(tx, songId, uid, hasReplaced ? AFTER_REPLACEMENT_MS : 0)
}
