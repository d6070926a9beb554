import type { CreditsAdded } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { lockPayment, updatePayment } from '../store/payments.ts'

/** The ledger has added a payment's credits: the success page may say so. Other credits have other references. */
export const markCredited: Handler<typeof CreditsAdded> = async (event, tx) => {
  const { reference } = event.data
  const payment = reference === null ? null : await lockPayment(tx, reference)
  const isNew = payment?.succeeded && !(payment.credited && (payment.creditedAt ?? 0) >= event.at)
  if (isNew) await updatePayment(tx, payment, { credited: true, creditedAt: event.at })
}
