import { AccountClosed, accountUid, identityOf } from '@prelude/contracts'
import { AppError, type Query, type Tx } from '@prelude/platform'

/** Sign-in and closing of one identity come one after the other. */
export const lockIdentity = async (tx: Tx, identity: string): Promise<void> => {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`identity:${identity}`])
}

/** The uid of the account that this identity has now, or would open. */
export async function uidOfIdentity(query: Query, identity: string): Promise<string> {
  const { rows } = await query.query<{ count: number }>(
    'select count(*) as count from closed_account where identity = $1',
    [identity],
  )
  return accountUid(identity, rows[0]?.count ?? 0)
}

/**
 * The end of an account here: the record, its sessions, and answers that were kept for repeats, the operator's about this
 * person too. Emits AccountClosed. Answers the sessions. Errors: user_not_found when there is no such account (any more).
 */
export async function closeAccount(
  tx: Tx,
  account: { uid: string; by: 'person' | 'operator'; at: number },
): Promise<string[]> {
  const { uid, by, at } = account
  await lockIdentity(tx, identityOf(uid))
  const { rowCount } = await tx.query(
    `with closed as (delete from user_record where uid = $1 returning uid, name, given_name, email)
     insert into closing_mail (uid, name, given_name, email, closed_at)
     select uid, name, given_name, email, $2 from closed`,
    [uid, at],
  )
  if (rowCount === 0) throw new AppError('user_not_found')
  await tx.query('insert into closed_account (uid, identity, closed_by, closed_at) values ($1, $2, $3, $4)', [
    uid,
    identityOf(uid),
    by,
    at,
  ])
  await tx.query('delete from idempotency_key where uid = $1 or about_uid = $1', [uid])
  const { rows } = await tx.query<{ hash: string }>('delete from session_of where uid = $1 returning hash', [
    uid,
  ])
  tx.emit(AccountClosed, { uid })
  return rows.map(({ hash }) => hash)
}

interface ClosedPerson {
  readonly uid: string
  readonly name: string | null
  readonly givenName: string | null
  readonly email: string
}

/** The person whose account was closed lately, for the mail about it. Errors: user_not_found. */
export async function findClosingMail(query: Query, uid: string): Promise<ClosedPerson> {
  const { rows } = await query.query<ClosedPerson>(
    'select uid, name, given_name as "givenName", email from closing_mail where uid = $1',
    [uid],
  )
  if (!rows[0]) throw new AppError('user_not_found')
  return rows[0]
}

export const deleteClosingMail = async (query: Query, uid: string): Promise<void> => {
  await query.query('delete from closing_mail where uid = $1', [uid])
}

/** Longer than an answer can be kept after its account was closed. */
const CLOSED_LATELY_MS = 2 * 60 * 60_000

/** The mail is not tried for longer. */
const CLOSING_MAIL_MS = 24 * 60 * 60_000

/** Addresses to which the mail could not be sent in time. */
export const oldClosingMails = (now: number) => ({
  table: 'closing_mail',
  where: 'closed_at < $1',
  params: [now - CLOSING_MAIL_MS],
})

/** Answers that were kept while the account of their person was being closed. */
export const keysOfClosed = (now: number) => ({
  table: 'idempotency_key',
  where: `(uid = any(array(select uid from closed_account where closed_at > $1))
    or about_uid = any(array(select uid from closed_account where closed_at > $1)))`,
  params: [now - CLOSED_LATELY_MS],
})
