import type { PaymentSucceeded } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

export const sendReceipt: Handler<typeof PaymentSucceeded> = async (event, tx) => {
  const { uid, paymentId } = event.data
  await queueMessage(tx, { kind: 'receipt', uid, paymentId })
}
