import type { AccountClosed } from '@prelude/contracts'
import type { Clock, Handler } from '@prelude/platform'
import { erasePersonalData, queueMessages } from '../store/message.ts'

/** Erases what is kept of the person, and queues the last mail, which confirms the closing. */
export const erasePerson =
  (clock: Clock): Handler<typeof AccountClosed> =>
  async (cause, tx) => {
    const { uid } = cause.data
    await erasePersonalData(tx, uid)
    queueMessages(tx, [{ facts: { kind: 'account-closed', uid }, cause }], clock.now())
  }
