import { type AccountClosed, PaymentSuspicious, TransferSettled } from '@prelude/contracts'
import type { Database, Handler, Job, Tx } from '@prelude/platform'
import {
  closedWithPayments,
  erasePaymentsOf,
  markClosed,
  openTransfersOf,
  uncreditedOf,
} from '../store/closed-accounts.ts'
import { lockPayment, updatePayment } from '../store/payments.ts'

/** Transfers that still wait are rejected: there is no account to add them to. What is paid later is booked, and reported to the operator. */
export const erasePayments: Handler<typeof AccountClosed> = async ({ data: { uid } }, tx) => {
  await markClosed(tx, uid, Date.now())
  await erase(tx, uid)
}

const EVERY_MS = 60_000
/** A call lasts seconds. */
const LATE_MS = 24 * 60 * 60_000

/** A payment that was being started when its account was closed may appear after the event that erases. */
export const eraseLatePayments = (db: Database): Job => ({
  name: 'erase-late-payments',
  everyMs: EVERY_MS,
  run: async () => {
    for (const uid of await closedWithPayments(db, Date.now() - LATE_MS))
      await db.transaction((tx) => erase(tx, uid))
  },
})

async function erase(tx: Tx, uid: string): Promise<void> {
  for (const id of await openTransfersOf(tx, uid)) {
    const transfer = await lockPayment(tx, id)
    if (transfer?.status !== 'open') continue
    await updatePayment(tx, transfer, { status: 'rejected' })
    tx.emit(TransferSettled, { transferId: id, uid, outcome: 'rejected' })
  }
  // they had no chance to be spent, whichever of the two events credits handles first: the operator refunds them
  for (const paymentId of await uncreditedOf(tx, uid))
    tx.emit(PaymentSuspicious, { paymentId, uid, reason: 'account_closed' })
  await erasePaymentsOf(tx, uid)
}
