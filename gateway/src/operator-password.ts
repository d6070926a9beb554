import { UnlockLimitReached } from '@prelude/contracts'
import { AppError, type Database, type KeyValue } from '@prelude/platform'
import { isPassword } from './password-hash.ts'
import { lockUser } from './store/users.ts'

const TRIES = 5
const WINDOW_MS = 15 * 60_000

/** The admin password, wherever it is asked for: one count of wrong ones, over all sessions. */
export interface OperatorPassword {
  /**
   * Errors: wrong_operator_password; too_many_requests after five wrong ones, also for the right one, until 15 minutes have
   * passed since the first.
   */
  check(uid: string, password: string): Promise<void>
  /** Forgets the wrong ones. */
  clearLimit(uid: string): Promise<void>
}

export function createOperatorPassword(kv: KeyValue, db: Database, storedHash: string): OperatorPassword {
  const triesOf = (uid: string): string => `unlock-tries:${uid}`
  const sinceOf = (uid: string): string => `unlock-since:${uid}`

  /** Counted before the password is checked, so that parallel guesses count too. */
  const countTry = async (uid: string): Promise<void> => {
    const tries = await kv.increment(triesOf(uid), WINDOW_MS)
    if (tries === 1) await kv.set(sinceOf(uid), String(Date.now()), WINDOW_MS)
    if (tries <= TRIES) return
    const since = Number((await kv.get(sinceOf(uid))) ?? Date.now())
    if (tries === TRIES + 1)
      await db.transaction(async (tx) => {
        await lockUser(tx, uid)
        tx.emit(UnlockLimitReached, { uid, since })
      })
    throw new AppError('too_many_requests', {
      retryAfterSeconds: Math.max(1, Math.ceil((since + WINDOW_MS - Date.now()) / 1000)),
    })
  }
  const compare = oneAfterTheOther((password: string) => isPassword(password, storedHash))

  return {
    check: async (uid, password) => {
      await countTry(uid)
      if (!(await compare(password))) throw new AppError('wrong_operator_password')
      await kv.take(triesOf(uid))
    },
    clearLimit: async (uid) => {
      await kv.take(triesOf(uid))
    },
  }
}

/** Each hash takes 128 MiB while it is made: five at once would be more than an instance has. */
function oneAfterTheOther<A, R>(work: (given: A) => Promise<R>): (given: A) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve()
  return (given) => {
    const next = last.then(() => work(given))
    last = next.catch(() => {})
    return next
  }
}
