import { CreditsCharged, CreditsDeclined, SONG_PRICE_CENTS, type SongRequested } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { songCharge } from '../domain/journals.ts'
import { after, type Ledger } from '../store/ledger.ts'
import { waitForCredits } from '../store/waiting-songs.ts'

/** Too few credits is an answer the person sees ("Top Up"), not a failure, so it is an event too. */
export const chargeForSong =
  (ledger: Ledger): Handler<typeof SongRequested> =>
  async (event, tx) => {
    const { songId, uid } = event.data
    const posting = await ledger.post(tx, songCharge(uid, songId)) // locks first: a top-up cannot overtake the answer
    if (posting.outcome === 'replayed') return
    if (posting.outcome === 'applied') {
      tx.emit(CreditsCharged, {
        songId,
        uid,
        amount: SONG_PRICE_CENTS,
        waited: false,
        ...after(posting.account),
      })
      return
    }
    if (await waitForCredits(tx, { songId, uid, requestedAt: event.at })) {
      tx.emit(CreditsDeclined, { songId, uid, missing: posting.missingCents, ...after(posting.account) })
    }
  }
