import type { SongClosed, SongFulfilled, SongStarted } from '@prelude/contracts'
import type { Handler, Tx } from '@prelude/platform'
import { unpaidSong } from '../domain/journals.ts'
import { refundSong } from '../refund-song.ts'
import type { Ledger } from '../store/ledger.ts'
import { stopWaiting } from '../store/waiting-songs.ts'

export const settleGift =
  <E extends typeof SongStarted | typeof SongFulfilled>(ledger: Ledger): Handler<E> =>
  async ({ data: { songId, uid, gift } }, tx) => {
    if (gift) await settle(tx, ledger, uid, songId, 'gift')
  }

export const settleClosed =
  (ledger: Ledger): Handler<typeof SongClosed> =>
  ({ data: { songId, uid, reason, stays } }, tx) =>
    settle(tx, ledger, uid, songId, 'closed', stays ? undefined : reason)

/**
 * A gift, or a song that was closed or given back, costs nothing, whatever the order of events: a request that comes later finds
 * the key of its charge taken, a waiting song leaves the list, and a charge, also by a concurrent top-up, is refunded once.
 */
async function settle(
  tx: Tx,
  ledger: Ledger,
  uid: string,
  songId: string,
  as: 'gift' | 'closed',
  closed?: 'cancelled' | 'declined',
): Promise<void> {
  const posting = await ledger.post(tx, unpaidSong(uid, songId, as))
  if (posting.outcome === 'applied') await stopWaiting(tx, [songId], as, ledger.now())
  else await refundSong(tx, ledger, uid, songId, closed)
}
