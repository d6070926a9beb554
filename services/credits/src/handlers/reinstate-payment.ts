import { CreditsAdded, type PaymentReinstated } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { creditsArrived } from '../credits-arrived.ts'
import { paymentReinstatement } from '../domain/journals.ts'
import { clearingAccountOf, debtsOf } from '../store/journals.ts'
import { after, type Ledger } from '../store/ledger.ts'
import { emitDebtChange } from '../emit-debt-change.ts'

/** A dispute was won: the debt that it left is forgiven, the rest is credited. */
export const reinstatePayment =
  (ledger: Ledger): Handler<typeof PaymentReinstated> =>
  async (event, tx) => {
    const { paymentId, uid, credits, reversalId } = event.data
    const account = await ledger.lockAccount(tx, uid)
    const clearing = await clearingAccountOf(tx, paymentId)
    const debts = account.debtCents > 0 ? await debtsOf(tx, uid) : []
    const owedCents = debts.find((debt) => debt.paymentId === paymentId)?.owedCents ?? 0
    const reinstatement = paymentReinstatement(
      { uid, paymentId, reversalId, creditsCents: credits, clearing },
      owedCents,
    )
    const posting = await ledger.post(tx, reinstatement)
    if (posting.outcome !== 'applied') return
    const { reason, reference, givenCents } = reinstatement
    // every event states the balance after it, so the change of the balance comes first
    if (givenCents > 0)
      tx.emit(CreditsAdded, { uid, amount: givenCents, reason, reference, ...after(posting.account) })
    emitDebtChange(tx, account, posting.account, paymentId)
    if (givenCents > 0) await creditsArrived(tx, ledger, reinstatement, posting.account)
  }
