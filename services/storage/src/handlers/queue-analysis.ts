import type { SongFulfilled } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queue } from '../store/analysis.ts'

/** Analysing takes seconds, so the event only leaves a note; the job does the work. */
export const queueAnalysis: Handler<typeof SongFulfilled> = async ({ data }, tx) => {
  await queue(tx, data.songId, data.uid)
}
