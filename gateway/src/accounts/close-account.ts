import { type Closing, fromCents } from '@prelude/contracts'
import { AppError, type Database } from '@prelude/platform'
import type { CreditsClient, PaymentsClient, SongsClient } from '../api/clients.ts'
import type { GatewayConfig } from '../config.ts'
import type { Sessions } from './sessions.ts'
import { listSessions } from './store/session.ts'
import type { FindUser, UserRecords } from './store/users.ts'

export type ClosingDeps = {
  config: GatewayConfig
  credits: CreditsClient
  db: Database
  findUser: FindUser
  payments: PaymentsClient
  closeUser: UserRecords['closeUser']
  sessions: Sessions
  songs: SongsClient
}

/** What closing would end, and the reasons that prevent it. Errors: not_signed_in. */
export async function closingOf(deps: ClosingDeps, uid: string): Promise<Omit<Closing, 'signInAgain'>> {
  const { findUser, credits, songs, payments } = deps
  const [user, account, ofSongs, underWay] = await Promise.all([
    findUser(uid),
    credits.account({ params: { uid } }),
    songs.ofPerson({ params: { uid } }),
    payments.underWay({ params: { uid } }),
  ])
  if (!user) throw new AppError('not_signed_in')
  return {
    email: user.email,
    credits: fromCents(account.balanceCents),
    debt: fromCents(account.debtCents),
    songs: ofSongs,
    paymentsUnderWay: underWay.count,
  }
}

/**
 * A person closes their own: the address is typed, and the credits are those that they were shown and give up.
 * Errors: operator_stays, wrong_confirmation, account_in_debt, payment_under_way, balance_changed.
 */
export async function closeOwnAccount(
  deps: ClosingDeps,
  uid: string,
  confirmed: { email: string; credits: number },
): Promise<void> {
  if (uid === deps.config.operatorUid) throw new AppError('operator_stays')
  const closing = await closingOf(deps, uid)
  if (confirmed.email.trim().toLowerCase() !== closing.email) throw new AppError('wrong_confirmation')
  if (closing.debt > 0) throw new AppError('account_in_debt')
  if (closing.paymentsUnderWay > 0) throw new AppError('payment_under_way')
  if (confirmed.credits !== closing.credits) throw new AppError('balance_changed')
  await closeAccount(deps, uid, 'person')
}

/** Closes an account, whatever is open. Sessions end first: if the rest fails, the person signs in and tries again. Errors: operator_stays, user_not_found. */
export async function closeAccount(deps: ClosingDeps, uid: string, by: 'person' | 'operator'): Promise<void> {
  const { closeUser, config, db, sessions } = deps
  if (uid === config.operatorUid) throw new AppError('operator_stays')
  if (uid.includes('\0')) throw new AppError('user_not_found')
  await sessions.endAll((await listSessions(db, uid)).map(({ hash }) => hash))
  // one that began meanwhile
  await sessions.endAll(await closeUser(uid, by))
}
