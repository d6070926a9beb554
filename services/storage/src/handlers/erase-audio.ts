import type { SongErased } from '@prelude/contracts'
import type { Clock, Handler } from '@prelude/platform'
import { deleteAnalysis } from '../store/analysis.ts'
import { dismissSong } from '../store/audio.ts'

/** The job deletes the objects; one that is placed meanwhile is named by no song, and goes with the sweep. */
export const eraseAudio =
  (clock: Clock): Handler<typeof SongErased> =>
  async ({ data: { songId } }, tx) => {
    await dismissSong(tx, songId, await clock.databaseNow(tx))
    await deleteAnalysis(tx, songId)
  }
