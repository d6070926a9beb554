import { creditsForKobo, type paymentsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { toRecord, updatePayment } from '../store/payments.ts'
import { emitConfirmed, lockOpenTransfer } from '../store/transfers.ts'

/** The money is on the bank account. Errors: transfer_not_found, transfer_already_settled. */
export const confirmTransfer =
  (db: Database): RouteHandler<typeof paymentsApi.confirmTransfer> =>
  ({ params: { id = '' }, body: { amountKobo } }) =>
    db.transaction(async (tx) => {
      const transfer = await lockOpenTransfer(tx, id)
      const creditsCents = creditsForKobo(amountKobo)
      const settled = await updatePayment(tx, transfer, {
        status: 'paid',
        succeeded: true,
        amountCents: amountKobo,
        creditsCents,
      })
      emitConfirmed(tx, settled, creditsCents)
      return toRecord(settled)
    })
