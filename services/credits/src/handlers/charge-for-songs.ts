import {
  CreditsCharged,
  CreditsDeclined,
  FIRST_SONG_PRICE_CENTS,
  type SongRequested,
} from '@prelude/contracts'
import type { BatchHandler } from '@prelude/platform'
import { songCharge } from '../domain/journals.ts'
import { after, type Ledger } from '../store/ledger.ts'
import { waitForCredits } from '../store/waiting-songs.ts'

/** Too few credits is an answer the person sees ("Top Up"), not a failure, so it is an event too. */
export const chargeForSongs =
  (ledger: Ledger): BatchHandler<typeof SongRequested> =>
  async (events, tx) => {
    const songs = events.map(({ data: { songId, uid, price = FIRST_SONG_PRICE_CENTS }, at }) => ({
      songId,
      uid,
      priceCents: price,
      requestedAt: at,
    }))
    // locks the accounts first: a top-up cannot overtake the answer
    const postings = await ledger.postAll(
      tx,
      songs.map(({ uid, songId, priceCents }) => songCharge(uid, songId, priceCents)),
    )
    for (const [i, posting] of postings.entries()) {
      const song = songs[i]
      if (!song || posting.outcome === 'replayed') continue
      const { songId, uid, priceCents } = song
      const account = after(posting.account)
      if (posting.outcome === 'applied')
        tx.emit(CreditsCharged, { songId, uid, amount: priceCents, waited: false, ...account }, events[i])
      else if (await waitForCredits(tx, song))
        tx.emit(CreditsDeclined, { songId, uid, missing: posting.missingCents, ...account }, events[i])
    }
  }
