import type { SongErased } from '@prelude/contracts'
import type { Clock, Handler } from '@prelude/platform'
import { DELETE_AGAIN_MS } from '../delete-object.ts'
import { deleteAnalysis } from '../store/analysis.ts'
import { dismissSong } from '../store/audio.ts'
import { removeSong } from '../store/drafts.ts'

/** The job deletes the objects; one that is placed meanwhile is named by no song, and goes with the sweep. */
export const eraseAudio =
  (clock: Clock): Handler<typeof SongErased> =>
  async ({ data: { songId } }, tx) => {
    const now = await clock.databaseNow(tx)
    await removeSong(tx, songId, now + DELETE_AGAIN_MS)
    await dismissSong(tx, songId, now)
    await deleteAnalysis(tx, songId)
  }
