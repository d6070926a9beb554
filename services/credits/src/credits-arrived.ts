import { CreditsCharged, CreditsTaken } from '@prelude/contracts'
import type { Tx } from '@prelude/platform'
import { debtSettlement, type Journal, songCharge } from './domain/journals.ts'
import { debtsOf } from './store/journals.ts'
import { after, type Ledger, type LockedAccount } from './store/ledger.ts'
import { emitDebtChange } from './emit-debt-change.ts'
import { affordableSongs, stopWaiting } from './store/waiting-songs.ts'

/**
 * Spends credits that have arrived, by whatever route: in the same transaction, still under the account's lock, debts are
 * settled first, then waiting songs are charged, oldest first, while the balance lasts; one that costs more than is left is passed
 * over. So no account has a waiting song and the credits for it at once. Answers the account after that.
 */
export async function creditsArrived(
  tx: Tx,
  ledger: Ledger,
  cause: Journal,
  account: LockedAccount,
): Promise<LockedAccount> {
  const settled = account.debtCents > 0 ? await settleDebts(tx, ledger, cause, account) : account
  return chargeWaitingSongs(tx, ledger, settled)
}

async function settleDebts(
  tx: Tx,
  ledger: Ledger,
  cause: Journal,
  locked: LockedAccount,
): Promise<LockedAccount> {
  let account = locked
  for (const debt of await debtsOf(tx, cause.uid)) {
    if (account.balanceCents === 0) break
    const settlement = debtSettlement(cause, debt, account.balanceCents)
    const posting = await ledger.post(tx, settlement)
    const before = account
    account = posting.account
    if (posting.outcome !== 'applied') continue
    const { uid, reason, reference } = settlement
    tx.emit(CreditsTaken, { uid, amount: settlement.paidCents, reason, reference, ...after(account) })
    emitDebtChange(tx, before, account, debt.paymentId)
  }
  return account
}

async function chargeWaitingSongs(tx: Tx, ledger: Ledger, locked: LockedAccount): Promise<LockedAccount> {
  const { uid } = locked
  let account = locked
  while (account.balanceCents > 0) {
    const songs = await affordableSongs(tx, uid, account.balanceCents)
    if (songs.length === 0) break
    for (const { songId, priceCents } of songs) {
      const posting = await ledger.post(tx, songCharge(uid, songId, priceCents))
      account = posting.account
      if (posting.outcome !== 'applied') throw new Error(`song ${songId} waits but cannot be charged`)
      tx.emit(CreditsCharged, { songId, uid, amount: priceCents, waited: true, ...after(account) })
    }
    await stopWaiting(
      tx,
      songs.map(({ songId }) => songId),
      'charged',
      ledger.now(),
    )
  }
  return account
}
