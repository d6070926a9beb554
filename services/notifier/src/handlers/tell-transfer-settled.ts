import type { TransferSettled } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

/** A confirmed transfer is a payment that succeeded: whichever event comes first makes the one receipt. */
export const tellTransferSettled: Handler<typeof TransferSettled> = async (event, tx) => {
  const { uid, transferId, outcome } = event.data
  const kind = outcome === 'confirmed' ? 'receipt' : 'transfer-rejected'
  await queueMessage(tx, { kind, uid, paymentId: transferId })
}
