import { CreditsAdded, creditsApi, CreditsTaken } from '@prelude/contracts'
import { AppError, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { creditsArrived } from '../credits-arrived.ts'
import { adjustment } from '../domain/journals.ts'
import { after } from '../store/ledger.ts'
import { openedAccount, type RouteDeps } from './account.ts'

/** Ten billion credits: more is a slip of the hand, and sums stay safe integers. */
const MAX_ADJUSTMENT_CENTS = 1e12

export function adjustRoute(app: FastifyInstance, { db, ledger }: RouteDeps): void {
  route(app, creditsApi.adjust, async ({ params: { id = '' }, body: { uid, amountCents, reason: note } }) => {
    if (Math.abs(amountCents) > MAX_ADJUSTMENT_CENTS) throw new AppError('invalid_amount')
    if (amountCents === 0) return openedAccount({ db, ledger }, uid)
    return db.transaction(async (tx) => {
      const journal = adjustment(uid, id, amountCents, note)
      const { outcome, account } = await ledger.post(tx, journal)
      if (outcome === 'insufficient') throw new AppError('insufficient_credits')
      if (outcome === 'replayed') return account
      const { reason, reference } = journal
      const told = { uid, amount: Math.abs(amountCents), reason, reference, ...after(account) }
      tx.emit(amountCents > 0 ? CreditsAdded : CreditsTaken, told)
      return amountCents > 0 ? creditsArrived(tx, ledger, journal, account) : account
    })
  })
}
