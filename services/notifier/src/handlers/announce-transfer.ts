import type { TransferOpened } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

export const announceTransfer: Handler<typeof TransferOpened> = async (event, tx) => {
  const { uid, transferId } = event.data
  await queueMessage(tx, { kind: 'transfer-opened', uid, paymentId: transferId })
}
