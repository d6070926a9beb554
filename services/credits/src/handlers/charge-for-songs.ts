import { CreditsCharged, CreditsDeclined, SONG_PRICE_CENTS, type SongRequested } from '@prelude/contracts'
import type { BatchHandler } from '@prelude/platform'
import { songCharge } from '../domain/journals.ts'
import { after, type Ledger } from '../store/ledger.ts'
import { waitForCredits } from '../store/waiting-songs.ts'

/** Too few credits is an answer the person sees ("Top Up"), not a failure, so it is an event too. */
export const chargeForSongs =
  (ledger: Ledger): BatchHandler<typeof SongRequested> =>
  async (events, tx) => {
    // locks the accounts first: a top-up cannot overtake the answer
    const postings = await ledger.postAll(
      tx,
      events.map(({ data: { uid, songId } }) => songCharge(uid, songId)),
    )
    for (const [i, posting] of postings.entries()) {
      const event = events[i]
      if (!event || posting.outcome === 'replayed') continue
      const { songId, uid } = event.data
      const account = after(posting.account)
      if (posting.outcome === 'applied')
        tx.emit(CreditsCharged, { songId, uid, amount: SONG_PRICE_CENTS, waited: false, ...account }, event)
      else if (await waitForCredits(tx, { songId, uid, requestedAt: event.at }))
        tx.emit(CreditsDeclined, { songId, uid, missing: posting.missingCents, ...account }, event)
    }
  }
