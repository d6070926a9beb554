import type { SongClosed } from '@prelude/contracts'
import type { Clock, Handler } from '@prelude/platform'
import { DELETE_AGAIN_MS } from '../delete-object.ts'
import { removeSong } from '../store/drafts.ts'

/** A song that was cancelled or declined has no drafts. */
export const removeDraftsOfClosed =
  (clock: Clock): Handler<typeof SongClosed> =>
  async ({ data: { songId, stays } }, tx) => {
    if (!stays) await removeSong(tx, songId, (await clock.databaseNow(tx)) + DELETE_AGAIN_MS)
  }
