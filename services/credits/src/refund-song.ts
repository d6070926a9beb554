import { CreditsRefunded, type EventData } from '@prelude/contracts'
import type { Tx } from '@prelude/platform'
import { creditsArrived } from './credits-arrived.ts'
import { songRefund } from './domain/journals.ts'
import { chargedForSong } from './store/journals.ts'
import { after, type Ledger } from './store/ledger.ts'

/** Gives back the credits of a song that was charged, once, however often it is called; `closed`: since its request was. */
export async function refundSong(
  tx: Tx,
  ledger: Ledger,
  uid: string,
  songId: string,
  closed?: EventData<typeof CreditsRefunded>['closed'],
): Promise<void> {
  await ledger.lockAccount(tx, uid) // before looking: a charge under way commits first
  const chargedCents = await chargedForSong(tx, uid, songId)
  if (chargedCents === null) return
  const refund = songRefund(uid, songId, chargedCents)
  const posting = await ledger.post(tx, refund)
  if (posting.outcome !== 'applied') return
  tx.emit(CreditsRefunded, {
    songId,
    uid,
    amount: chargedCents,
    ...after(posting.account),
    ...(closed && { closed }),
  })
  await creditsArrived(tx, ledger, refund, posting.account)
}
