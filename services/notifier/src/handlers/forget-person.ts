import type { AccountClosed } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { forgetMessagesOf } from '../store/message.ts'

export const forgetPerson: Handler<typeof AccountClosed> = async ({ data: { uid } }, tx) => {
  await forgetMessagesOf(tx, uid)
}
