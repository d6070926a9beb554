import { DebtChanged } from '@prelude/contracts'
import type { Tx } from '@prelude/platform'
import { after, type LockedAccount } from './store/ledger.ts'

/** Emits DebtChanged when a posting about this payment changed the person's debt; the balance may be unchanged. */
export function emitDebtChange(
  tx: Tx,
  before: LockedAccount,
  account: LockedAccount,
  paymentId: string,
): void {
  const { uid, debtCents } = account
  const change = debtCents - before.debtCents
  if (change !== 0)
    tx.emit(DebtChanged, { uid, change, debt: debtCents, reference: paymentId, ...after(account) })
}
