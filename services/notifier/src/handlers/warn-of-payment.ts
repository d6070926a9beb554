import type { PaymentSuspicious } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

export const warnOfPayment: Handler<typeof PaymentSuspicious> = async (event, tx) => {
  const { uid, paymentId, reason } = event.data
  await queueMessage(tx, { kind: 'payment-suspicious', uid, paymentId, reason })
}
