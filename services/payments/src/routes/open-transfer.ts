import { type paymentsApi, TransferOpened } from '@prelude/contracts'
import { AppError, type Clock, type Database, type RouteHandler } from '@prelude/platform'
import { announce, findPayment, insertPayment, toRecord } from '../store/payments.ts'
import { newTransfer } from '../store/transfers.ts'

/** "I have sent it": a person has at most one open transfer. Errors: transfer_already_open. */
export const openTransfer =
  (db: Database, clock: Clock): RouteHandler<typeof paymentsApi.openTransfer> =>
  ({ params: { id = '' }, body: { uid } }) =>
    db.transaction(async (tx) => {
      const transfer = await insertPayment(tx, newTransfer(id, uid, clock.now()))
      if (transfer === null) {
        const known = await findPayment(tx, id)
        if (known?.uid !== uid) throw new AppError('transfer_already_open')
        return toRecord(known)
      }
      tx.emit(TransferOpened, { transferId: id, uid })
      announce(tx, transfer)
      return toRecord(transfer)
    })
