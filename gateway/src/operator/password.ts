import { UnlockLimitReached } from '@prelude/contracts'
import { AppError, type Clock, type Database } from '@prelude/platform'
import { lockUser } from '../accounts/store/users.ts'
import { isPassword } from './password-hash.ts'
import type { KeyValue } from '../api/key-value/port.ts'

const TRIES = 5
const WINDOW_MS = 15 * 60_000

export type OperatorPassword = ReturnType<typeof createOperatorPassword>

/** The admin password, wherever it is asked for: one count of wrong ones, over all sessions. */
export function createOperatorPassword(
  { kv, db, clock }: { kv: KeyValue; db: Database; clock: Clock },
  storedHash: string,
) {
  const triesOf = (uid: string): string => `unlock-tries:${uid}`
  const sinceOf = (uid: string): string => `unlock-since:${uid}`

  /** Counted before the password is checked, so that parallel guesses count too. */
  const countTry = async (uid: string): Promise<void> => {
    const tries = await kv.increment(triesOf(uid), WINDOW_MS)
    if (tries === 1) await kv.set(sinceOf(uid), String(clock.now()), WINDOW_MS)
    if (tries <= TRIES) return
    const since = Number((await kv.get(sinceOf(uid))) ?? clock.now())
    if (tries === TRIES + 1)
      await db.transaction(async (tx) => {
        await lockUser(tx, uid)
        tx.emit(UnlockLimitReached, { uid, since })
      })
    throw new AppError('too_many_requests', {
      retryAfterSeconds: Math.max(1, Math.ceil((since + WINDOW_MS - clock.now()) / 1000)),
    })
  }

  return {
    /**
     * Errors: wrong_operator_password; too_many_requests after five wrong ones, also for the right one, until 15 minutes have
     * passed since the first.
     */
    check: async (uid: string, password: string): Promise<void> => {
      await countTry(uid)
      if (!(await isPassword(password, storedHash))) throw new AppError('wrong_operator_password')
      await kv.getAndDelete(triesOf(uid))
    },
    /** Forgets the wrong ones. */
    clearLimit: async (uid: string): Promise<void> => {
      await kv.getAndDelete(triesOf(uid))
    },
  }
}
