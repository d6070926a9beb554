import { type paymentsApi, TransferSettled } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { toRecord, updatePayment } from '../store/payments.ts'
import { lockOpenTransfer } from '../store/transfers.ts'

/** Errors: transfer_not_found, transfer_already_settled. */
export const rejectTransfer =
  (db: Database): RouteHandler<typeof paymentsApi.rejectTransfer> =>
  ({ params: { id = '' }, body: { reason } }) =>
    db.transaction(async (tx) => {
      const transfer = await lockOpenTransfer(tx, id)
      const settled = await updatePayment(tx, transfer, { status: 'rejected', rejectReason: reason })
      tx.emit(TransferSettled, { transferId: id, uid: settled.uid, outcome: 'rejected' })
      return toRecord(settled)
    })
