import {
  CreditsAdded,
  CreditsAdjusted,
  type creditsApi,
  CreditsTaken,
  MAX_BY_HAND_CENTS,
} from '@prelude/contracts'
import { AppError, type Database, type RouteHandler } from '@prelude/platform'
import { creditsArrived } from '../credits-arrived.ts'
import { adjustment } from '../domain/journals.ts'
import { after, type Ledger } from '../store/ledger.ts'
import { openedAccount } from './get-account.ts'

export const adjustCredits =
  (db: Database, ledger: Ledger): RouteHandler<typeof creditsApi.adjust> =>
  async ({ params: { id = '' }, body: { uid, amountCents, reason: note } }) => {
    if (Math.abs(amountCents) > MAX_BY_HAND_CENTS) throw new AppError('invalid_amount')
    if (amountCents === 0) return openedAccount(db, ledger, uid)
    return db.transaction(async (tx) => {
      const journal = adjustment(uid, id, amountCents, note)
      const { outcome, account } = await ledger.post(tx, journal)
      if (outcome === 'insufficient') throw new AppError('insufficient_credits')
      if (outcome === 'replayed') return account
      const { reason, reference } = journal
      const change = { uid, amount: Math.abs(amountCents), reason, reference, ...after(account) }
      tx.emit(amountCents > 0 ? CreditsAdded : CreditsTaken, change)
      tx.emit(CreditsAdjusted, { adjustmentId: id, uid, amount: amountCents, ...after(account) })
      return amountCents > 0 ? creditsArrived(tx, ledger, journal, account) : account
    })
  }
