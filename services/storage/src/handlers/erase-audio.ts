import type { SongErased } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { forgetAnalysis } from '../store/analysis.ts'
import { dismissSong } from '../store/audio.ts'
import { endClaimOn } from '../store/claim.ts'

/** The objects go within the minute, with the round that deletes what nobody needs; a placement under way finds its claim gone. */
export const eraseAudio: Handler<typeof SongErased> = async ({ data: { songId } }, tx) => {
  await endClaimOn(tx, songId)
  await dismissSong(tx, songId)
  await forgetAnalysis(tx, songId)
}
