import { UserRegistered } from '@prelude/contracts'
import {
  AppError,
  batched,
  type Clock,
  type Database,
  FROM_NEWEST,
  isPersonFound,
  paged,
  type Query,
  type Tx,
} from '@prelude/platform'
import type { VerifiedPerson } from '../identity-provider.ts'
import { closeAccount, lockIdentity, uidOfIdentity } from './closed-accounts.ts'

/** Spec §3, user record; credits lie with the credits service. Times are ms since the epoch. */
export interface User {
  readonly uid: string
  readonly name: string | null
  /** Null where the identity provider does not say it. */
  readonly givenName: string | null
  readonly email: string
  readonly photoUrl: string | null
  readonly createdAt: number
  /** Its address refuses mails: it has refused two, and accepted none since. */
  readonly mailsRefused: boolean
}

const COLUMNS = `uid, name, given_name as "givenName", email, photo_url as "photoUrl", created_at as "createdAt", mail_refusals > 1 as "mailsRefused"`

export type FindUser = (uid: string) => Promise<User | null>

export type UserRecords = ReturnType<typeof userRecords>

/** Reads single user records, and makes all writes to them. */
export const userRecords = (db: Database, clock: Clock) => ({
  findUser: userFinder(db),
  /** Made at the first sign-in, refreshed at every later one. Answers the uid: another one after an account was closed. */
  signInUser: (person: VerifiedPerson) => db.transaction((tx) => signInUser(tx, person, clock.now())),
  /** Answers the sessions. Errors: user_not_found when there is no such account (any more). */
  closeUser: (uid: string, by: 'person' | 'operator') =>
    db.transaction((tx) => closeAccount(tx, { uid, by, at: clock.now() })),
})

async function signInUser(tx: Tx, person: VerifiedPerson, now: number): Promise<string> {
  await lockIdentity(tx, person.identity)
  const uid = await uidOfIdentity(tx, person.identity)
  const { rows } = await tx.query<{ created: boolean }>(
    `insert into user_record (uid, name, given_name, email, photo_url, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (uid) do update
       set name = excluded.name, given_name = excluded.given_name, email = excluded.email, photo_url = excluded.photo_url,
         updated_at = excluded.updated_at,
         mail_refusals = case when user_record.email = excluded.email then user_record.mail_refusals else 0 end
     returning xmax = 0 as created`,
    [uid, person.name, person.givenName, person.email, person.photoUrl, now],
  )
  if (rows[0]?.created) tx.emit(UserRegistered, { uid })
  return uid
}

/** Counts a mail that was refused, until one is accepted. No effect when the person has another address, or none, meanwhile. */
export async function recordMailOutcome(
  db: Query,
  { uid, email, accepted }: { uid: string; email: string; accepted: boolean },
): Promise<void> {
  await db.query(
    `update user_record set mail_refusals = case when $3 then 0 else mail_refusals + 1 end
     where uid = $1 and email = $2 and (not $3 or mail_refusals > 0)`,
    [uid, email, accepted],
  )
}

/** As a field of an answer: absent unless the address refuses mails. */
export const mailsRefused = (user: Pick<User, 'mailsRefused'> | null | undefined): { mailsRefused?: true } =>
  user?.mailsRefused ? { mailsRefused: true } : {}

/** Until the transaction ends. */
export const lockUser = async (tx: Tx, uid: string): Promise<void> => {
  await tx.query('select from user_record where uid = $1 for update', [uid])
}

/** Calls that come at the same time are one query. No uid has a NUL, and no text in the database. */
function userFinder(db: Query): FindUser {
  const find = batched(
    async (uids: readonly string[]) => {
      const users = await findUsers(db, [...new Set(uids)])
      return uids.map((uid) => users.get(uid) ?? null)
    },
    { concurrency: 2, maxSize: 200, timeoutMs: 4_000 },
  )
  return (uid) => (uid.includes('\0') ? Promise.resolve(null) : find(uid))
}

export async function findUsers(db: Query, uids: readonly string[]): Promise<Map<string, User>> {
  const { rows } = await db.query<User>(`select ${COLUMNS} from user_record where uid = any($1)`, [uids])
  return new Map(rows.map((user) => [user.uid, user]))
}

/** Errors: user_not_found. */
export async function knownUser({ findUser }: { findUser: FindUser }, uid: string): Promise<User> {
  const user = await findUser(uid)
  if (!user) throw new AppError('user_not_found')
  return user
}

/** Addresses are compared in lower case. Errors: user_not_found, ambiguous_account. */
export async function userByEmail(db: Query, email: string): Promise<User> {
  const { rows } = await db.query<User>(
    `select ${COLUMNS} from user_record where email = $1 order by created_at limit 2`,
    [email.toLowerCase()],
  )
  const [user, second] = rows
  if (!user) throw new AppError('user_not_found')
  if (second) throw new AppError('ambiguous_account')
  return user
}

/** Newest first; `q` is found in name or address, or is the uid. Errors: invalid_cursor. */
export async function listUsers(
  db: Query,
  { q, limit, cursor }: { q: string | undefined; limit: number; cursor: string | undefined },
): Promise<{ items: User[]; nextCursor: string | null }> {
  return paged(
    { limit, cursor },
    ['number', 'string'],
    async (after, most) => {
      const [at, uid] = after ?? FROM_NEWEST
      const { rows } = await db.query<User>(
        `select ${COLUMNS} from user_record
         where ($1::text is null or ${isPersonFound('$1', 'name', 'email')} or uid = $1)
           and (created_at, uid) < ($2, $3)
         order by created_at desc, uid desc limit $4`,
        [q ?? null, at, uid, most],
      )
      return rows
    },
    (user) => [user.createdAt, user.uid],
  )
}
