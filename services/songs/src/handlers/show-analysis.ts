import type { VersionsAnalyzed } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { recordAnswer } from '../record-answer.ts'

/** Durations and waveforms stay with storage; a new revision lets the live stream show that they are there. */
export const showAnalysis: Handler<typeof VersionsAnalyzed> = async (event, tx) => {
  await recordAnswer(tx, event.data.songId, (song) => ({ ...song }))
}
