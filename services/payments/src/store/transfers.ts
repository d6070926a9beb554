import { PaymentSucceeded, TransferSettled } from '@prelude/contracts'
import { AppError, type Tx } from '@prelude/platform'
import { lockPayment, type NewPayment, type Payment } from './payments.ts'

/** A bank transfer whose sum is not known yet. */
export const newTransfer = (id: string, uid: string, createdAt: number): NewPayment => ({
  id,
  uid,
  method: 'naira_transfer',
  status: 'open',
  amountCents: null,
  currency: 'NGN',
  creditsCents: null,
  livemode: true,
  createdAt,
})

/** Errors: transfer_not_found, transfer_already_settled. */
export async function lockOpenTransfer(tx: Tx, id: string): Promise<Payment> {
  const transfer = await lockPayment(tx, id)
  if (transfer?.method !== 'naira_transfer') throw new AppError('transfer_not_found')
  if (transfer.status !== 'open') throw new AppError('transfer_already_settled')
  return transfer
}

export function emitConfirmed(tx: Tx, { id, uid, method }: Payment, credits: number): void {
  tx.emit(PaymentSucceeded, { paymentId: id, uid, credits, method })
  tx.emit(TransferSettled, { transferId: id, uid, outcome: 'confirmed' })
}
