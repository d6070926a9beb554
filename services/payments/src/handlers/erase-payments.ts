import { type AccountClosed, PaymentSuspicious, TransferSettled } from '@prelude/contracts'
import type { Clock, Database, Handler, Job, Tx } from '@prelude/platform'
import { eachRow } from '../jobs/each-row.ts'
import {
  type ClosedAccount,
  closedWithPayments,
  erasePaymentsOf,
  markClosed,
  openTransfersOf,
  unspendableOf,
} from '../store/closed-accounts.ts'
import { lockPayment, updatePayment } from '../store/payments.ts'

/** Transfers that still wait are rejected: there is no account to add them to. What is paid later is booked, and reported to the operator. */
export const erasePayments: Handler<typeof AccountClosed> = async ({ at, data: { uid } }, tx) => {
  const account = { uid, closedAt: at }
  await markClosed(tx, account)
  await erase(tx, account)
}

const EVERY_MS = 60_000
/** A call lasts seconds. */
const LATE_MS = 24 * 60 * 60_000

/** A payment that was being started when its account was closed may appear after the event that erases. */
export const eraseLatePayments = (db: Database, clock: Clock): Job => ({
  name: 'erase-late-payments',
  everyMs: EVERY_MS,
  run: async (signal) =>
    eachRow(await closedWithPayments(db, clock.now() - LATE_MS), signal, (account) =>
      db.transaction((tx) => erase(tx, account)),
    ),
})

async function erase(tx: Tx, account: ClosedAccount): Promise<void> {
  const { uid } = account
  for (const id of await openTransfersOf(tx, uid)) {
    const transfer = await lockPayment(tx, id)
    if (transfer?.status !== 'open') continue
    await updatePayment(tx, transfer, { status: 'rejected' })
    tx.emit(TransferSettled, { transferId: id, uid, outcome: 'rejected' })
  }
  // they had no chance to be spent, whichever of the events comes first: the operator refunds them
  for (const paymentId of await unspendableOf(tx, account))
    tx.emit(PaymentSuspicious, { paymentId, uid, reason: 'account_closed' })
  await erasePaymentsOf(tx, uid)
}
