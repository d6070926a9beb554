import { type AccountClosed, CreditsTaken } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { debtWriteOff, forfeiture } from '../domain/journals.ts'
import { markClosed } from '../store/closed-accounts.ts'
import { debtsOf } from '../store/journals.ts'
import { after, type Ledger } from '../store/ledger.ts'
import { stopWaitingOf } from '../store/waiting-songs.ts'
import { emitDebtChange } from '../emit-debt-change.ts'

/**
 * Brings the account to zero: the balance is forfeited (the person agreed to that), debts are written off (only the operator
 * can close an account in debt). What a provider reports later is booked as always.
 */
export const closeAccount =
  (ledger: Ledger): Handler<typeof AccountClosed> =>
  async ({ data: { uid } }, tx) => {
    let account = await ledger.lockAccount(tx, uid)
    await markClosed(tx, uid)
    await stopWaitingOf(tx, uid, ledger.now())
    if (account.balanceCents > 0) {
      const journal = forfeiture(uid, account.balanceCents)
      const { outcome, account: emptied } = await ledger.post(tx, journal)
      if (outcome !== 'applied') return
      const { reason, reference } = journal
      tx.emit(CreditsTaken, { uid, amount: account.balanceCents, reason, reference, ...after(emptied) })
      return
    }
    for (const debt of account.debtCents > 0 ? await debtsOf(tx, uid) : []) {
      const { account: next } = await ledger.post(tx, debtWriteOff(uid, debt))
      emitDebtChange(tx, account, next, debt.paymentId)
      account = next
    }
  }
