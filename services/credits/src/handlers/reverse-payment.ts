import { CreditsReversed, CreditsTaken, type PaymentReversed } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { paymentReversal } from '../domain/journals.ts'
import { clearingAccountOf } from '../store/journals.ts'
import { after, type Ledger } from '../store/ledger.ts'
import { emitDebtChange } from '../emit-debt-change.ts'

/** A refund or dispute. When all was spent already the balance does not change, only the debt grows. */
export const reversePayment =
  (ledger: Ledger): Handler<typeof PaymentReversed> =>
  async (event, tx) => {
    const { paymentId, uid, credits, reversalId } = event.data
    const account = await ledger.lockAccount(tx, uid) // the balance decides what is taken
    const clearing = await clearingAccountOf(tx, paymentId)
    const reversal = paymentReversal(
      { uid, paymentId, reversalId, creditsCents: credits, clearing },
      account.balanceCents,
    )
    const posting = await ledger.post(tx, reversal)
    if (posting.outcome !== 'applied') return
    const { reason, reference, takenCents } = reversal
    if (takenCents > 0)
      tx.emit(CreditsTaken, { uid, amount: takenCents, reason, reference, ...after(posting.account) })
    emitDebtChange(tx, account, posting.account, paymentId)
    tx.emit(CreditsReversed, {
      reversalId,
      paymentId,
      uid,
      amount: credits,
      owed: credits - takenCents,
      debt: posting.account.debtCents,
      ...after(posting.account),
    })
  }
