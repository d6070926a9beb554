import { creditsForKobo, type paymentsApi } from '@prelude/contracts'
import { AppError, type Clock, type Database, type RouteHandler } from '@prelude/platform'
import { announce, findPayment, insertPayment, toRecord } from '../store/payments.ts'
import { emitConfirmed, newTransfer } from '../store/transfers.ts'

/** A transfer that arrived unannounced: settled at once, once per id. Errors: idempotency_key_reused. */
export const recordTransfer =
  (db: Database, clock: Clock): RouteHandler<typeof paymentsApi.recordTransfer> =>
  ({ params: { id = '' }, body: { uid, amountKobo } }) =>
    db.transaction(async (tx) => {
      const creditsCents = creditsForKobo(amountKobo)
      const transfer = await insertPayment(tx, {
        ...newTransfer(id, uid, clock.now()),
        status: 'paid',
        amountCents: amountKobo,
        creditsCents,
      })
      if (transfer === null) {
        const known = await findPayment(tx, id)
        if (known?.uid !== uid || known.amountCents !== amountKobo)
          throw new AppError('idempotency_key_reused')
        return toRecord(known)
      }
      emitConfirmed(tx, transfer, creditsCents)
      announce(tx, transfer)
      return toRecord(transfer)
    })
