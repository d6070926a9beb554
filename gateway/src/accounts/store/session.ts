import { OperatorUnlocked } from '@prelude/contracts'
import type { Query, Tx } from '@prelude/platform'

/** A session as its person sees it; only the key-value store holds whether it is active. Times are ms since the epoch. */
interface SessionRow {
  readonly id: string
  readonly hash: string
  readonly createdAt: number
  readonly browser: string
}

/**
 * False when the account was closed meanwhile. The lock makes the closing of an account wait for this session, and then
 * find it.
 */
export async function insertSession(
  query: Query,
  session: SessionRow & { uid: string; expiresAt: number },
): Promise<boolean> {
  const { rowCount } = await query.query(
    `insert into session_of (id, hash, uid, created_at, expires_at, browser)
     select $1, $2, uid, $4, $5, $6 from user_record where uid = $3 for key share`,
    [session.id, session.hash, session.uid, session.createdAt, session.expiresAt, session.browser],
  )
  return rowCount === 1
}

/** Another hash for an unlocked session; false when it has ended meanwhile. Emits OperatorUnlocked the first time. */
export async function renameUnlocked(tx: Tx, from: string, to: string): Promise<boolean> {
  const { rows } = await tx.query<{ id: string; uid: string; isFirst: boolean }>(
    `update session_of set hash = $2, unlocked = true where hash = $1
     returning id, uid, not old.unlocked as "isFirst"`,
    [from, to],
  )
  const [session] = rows
  if (session?.isFirst) tx.emit(OperatorUnlocked, { sessionId: session.id, uid: session.uid })
  return session !== undefined
}

/** A person has so many at most. */
const MOST_SESSIONS = 50

/** Newest first. */
export async function listSessions(query: Query, uid: string): Promise<SessionRow[]> {
  const { rows } = await query.query<SessionRow>(
    `select id, hash, created_at as "createdAt", browser from session_of where uid = $1
     order by created_at desc, id desc limit $2`,
    [uid, MOST_SESSIONS],
  )
  return rows
}

/** The hashes of the sessions before the newest ones: a few, or what a version without the limit has left. */
export async function excessSessions(query: Query, uid: string): Promise<string[]> {
  const { rows } = await query.query<{ hash: string }>(
    `select hash from session_of where uid = $1 order by created_at desc, id desc offset $2 limit 1000`,
    [uid, MOST_SESSIONS],
  )
  return rows.map((row) => row.hash)
}

export async function deleteSessions(query: Query, hashes: readonly string[]): Promise<void> {
  await query.query('delete from session_of where hash = any($1::text[])', [hashes])
}

/** Answers the hashes of all sessions of a person but this one, where one is given. */
export async function deleteOtherSessions(query: Query, uid: string, hash: string | null): Promise<string[]> {
  const { rows } = await query.query<{ hash: string }>(
    'delete from session_of where uid = $1 and hash is distinct from $2 returning hash',
    [uid, hash],
  )
  return rows.map((row) => row.hash)
}

export const oldSessions = (now: number) => ({ table: 'session_of', where: 'expires_at < $1', params: [now] })
