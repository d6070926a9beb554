import type { AccountClosed } from '@prelude/contracts'
import type { Clock, Database, Handler, Job } from '@prelude/platform'
import { closeAccount, eraseClosedAccounts } from '../store/closed-account.ts'
import { queueMessages } from '../store/message.ts'
import { readReaders } from '../store/preference.ts'

/** Erases what is kept of the person, and queues the last mail, which confirms the closing. */
export const erasePerson =
  (clock: Clock): Handler<typeof AccountClosed> =>
  async (cause, tx) => {
    const { uid } = cause.data
    const reader = (await readReaders(tx, [uid])).get(uid)
    await closeAccount(tx, uid)
    queueMessages(
      tx,
      [{ facts: { kind: 'account-closed', uid, ...(reader && { reader }) }, cause }],
      clock.now(),
    )
  }

export const eraseRest = (db: Database): Job => ({
  name: 'erase-closed-accounts',
  everyMs: 60 * 60_000,
  run: () => db.transaction(eraseClosedAccounts),
})
