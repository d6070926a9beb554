import { CreditsAdded, type PaymentSucceeded } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { creditsArrived } from '../credits-arrived.ts'
import { paymentCredit } from '../domain/journals.ts'
import { after, type Ledger } from '../store/ledger.ts'

export const creditPayment =
  (ledger: Ledger): Handler<typeof PaymentSucceeded> =>
  async (event, tx) => {
    const { paymentId, uid, credits, method } = event.data
    const credit = paymentCredit({ uid, paymentId, creditsCents: credits, method })
    const posting = await ledger.post(tx, credit)
    if (posting.outcome !== 'applied') return
    const { reason, reference } = credit
    tx.emit(CreditsAdded, { uid, amount: credits, reason, reference, ...after(posting.account) })
    await creditsArrived(tx, ledger, credit, posting.account)
  }
