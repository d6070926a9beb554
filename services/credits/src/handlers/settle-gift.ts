import type { SongFulfilled } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { songGift } from '../domain/journals.ts'
import { refundSong } from '../refund-song.ts'
import type { Ledger } from '../store/ledger.ts'
import { stopWaiting } from '../store/waiting-songs.ts'

/**
 * A gift costs nothing, in whichever order things came: asked for later, it finds its key taken; waiting, it stops; just
 * charged by a top-up that overtook the operator, it is given back.
 */
export const settleGift =
  (ledger: Ledger): Handler<typeof SongFulfilled> =>
  async (event, tx) => {
    const { songId, uid, gift } = event.data
    if (!gift) return
    const posting = await ledger.post(tx, songGift(uid, songId))
    if (posting.outcome === 'applied') await stopWaiting(tx, [songId], 'gift')
    else await refundSong(tx, ledger, uid, songId)
  }
