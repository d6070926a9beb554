import type { CreditsAdded } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { lockPayment, updatePayment } from '../store/payments.ts'

/** The ledger has added a payment's credits: the success page may say so. Other credits have other references. */
export const markCredited: Handler<typeof CreditsAdded> = async (event, tx) => {
  const { reference, reason } = event.data
  const payment = reference === null ? null : await lockPayment(tx, reference)
  // payments credited by 0.1.0 have no time
  const creditedAt = payment?.creditedAt ?? (reason === 'payment_reinstated' ? 0 : Infinity)
  const isNew = payment?.succeeded && !(payment.credited && creditedAt >= event.at)
  if (isNew) await updatePayment(tx, payment, { credited: true, creditedAt: event.at })
}
