import type { DebtChanged } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

/** A debt that shrinks is good news that can wait until the operator looks. */
export const warnOfDebt: Handler<typeof DebtChanged> = async (event, tx) => {
  const { uid, reference: paymentId, change, debt, version } = event.data
  if (change > 0) await queueMessage(tx, { kind: 'debt', uid, paymentId, debtCents: debt, version })
}
