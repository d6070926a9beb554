import {
  creditsForKobo,
  fromCents,
  PaymentSucceeded,
  type PaymentRecord,
  TRANSFER_MIN_KOBO,
  TransferOpened,
  TransferSettled,
} from '@prelude/contracts'
import { AppError, type Tx } from '@prelude/platform'
import type { Parts } from '../deps.ts'
import { NO_FACTS } from '../domain/facts.ts'
import {
  announce,
  findPayment,
  insertPayment,
  lockPayment,
  type NewPayment,
  type Payment,
  toRecord,
  updatePayment,
} from '../store/payments.ts'

const openTransferOf = (id: string, uid: string): NewPayment => ({
  id,
  uid,
  method: 'naira_transfer',
  status: 'open',
  amountCents: null,
  currency: 'NGN',
  creditsCents: null,
  livemode: true,
  facts: NO_FACTS,
})

/** "I have sent it": one open at a time for a person. Errors: transfer_already_open. */
export const openTransfer = ({ db }: Parts, id: string, uid: string): Promise<PaymentRecord> =>
  db.transaction(async (tx) => {
    const transfer = await insertPayment(tx, openTransferOf(id, uid))
    if (transfer === null) {
      const known = await findPayment(tx, id)
      if (known?.uid !== uid) throw new AppError('transfer_already_open')
      return toRecord(known)
    }
    tx.emit(TransferOpened, { transferId: id, uid })
    announce(tx, transfer)
    return toRecord(transfer)
  })

/** The money is on the bank account. Errors: transfer_not_found, transfer_already_settled, amount_too_low. */
export const confirmTransfer = ({ db }: Parts, id: string, amountKobo: number): Promise<PaymentRecord> =>
  db.transaction(async (tx) => {
    assertEnough(amountKobo)
    const transfer = await lockOpenTransfer(tx, id)
    const creditsCents = creditsForKobo(amountKobo)
    const settled = await updatePayment(tx, transfer, {
      status: 'paid',
      succeeded: true,
      amountCents: amountKobo,
      creditsCents,
    })
    tellConfirmed(tx, settled, creditsCents)
    return toRecord(settled)
  })

/** Errors: transfer_not_found, transfer_already_settled. */
export const rejectTransfer = ({ db }: Parts, id: string, reason: string): Promise<PaymentRecord> =>
  db.transaction(async (tx) => {
    const transfer = await lockOpenTransfer(tx, id)
    const settled = await updatePayment(tx, transfer, { status: 'rejected', rejectReason: reason })
    tx.emit(TransferSettled, { transferId: id, uid: settled.uid, outcome: 'rejected' })
    return toRecord(settled)
  })

/** A transfer that nobody announced, settled at once, once for an id. Errors: amount_too_low. */
export const recordTransfer = (
  { db }: Parts,
  id: string,
  { uid, amountKobo }: { uid: string; amountKobo: number },
): Promise<PaymentRecord> =>
  db.transaction(async (tx) => {
    assertEnough(amountKobo)
    const creditsCents = creditsForKobo(amountKobo)
    const paid = {
      ...openTransferOf(id, uid),
      status: 'paid' as const,
      amountCents: amountKobo,
      creditsCents,
    }
    const transfer = await insertPayment(tx, paid)
    if (transfer === null) {
      const known = await findPayment(tx, id)
      if (known?.uid !== uid || known.amountCents !== amountKobo) throw new AppError('idempotency_key_reused')
      return toRecord(known)
    }
    tellConfirmed(tx, transfer, creditsCents)
    announce(tx, transfer)
    return toRecord(transfer)
  })

function tellConfirmed(tx: Tx, { id, uid, method }: Payment, credits: number): void {
  tx.emit(PaymentSucceeded, { paymentId: id, uid, credits, method })
  tx.emit(TransferSettled, { transferId: id, uid, outcome: 'confirmed' })
}

async function lockOpenTransfer(tx: Tx, id: string): Promise<Payment> {
  const transfer = await lockPayment(tx, id)
  if (transfer?.method !== 'naira_transfer') throw new AppError('transfer_not_found')
  if (transfer.status !== 'open') throw new AppError('transfer_already_settled')
  return transfer
}

function assertEnough(amountKobo: number): void {
  if (amountKobo < TRANSFER_MIN_KOBO) {
    const least = fromCents(TRANSFER_MIN_KOBO).toLocaleString('en')
    throw new AppError('amount_too_low', { detail: `A transfer must be at least ${least} Naira.` })
  }
}
