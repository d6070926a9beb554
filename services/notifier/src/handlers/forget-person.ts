import type { AccountClosed } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { forget, queueMessages } from '../store/message.ts'

/** No mail to the person any more, but one that confirms the closing. */
export const forgetPerson: Handler<typeof AccountClosed> = async (cause, tx) => {
  const { uid } = cause.data
  await forget(tx, uid)
  await queueMessages(tx, [{ facts: { kind: 'account-closed', uid }, cause }])
}
