import type { Query } from '@prelude/platform'

/** Stores the owner of a session; false when the account was closed meanwhile. */
export async function noteSession(
  query: Query,
  session: { hash: string; uid: string; expiresAt: number },
): Promise<boolean> {
  const { rowCount } = await query.query(
    `insert into session_of (hash, uid, expires_at)
     select $1, $2::text, $3::bigint where exists (select from user_record where uid = $2::text)`,
    [session.hash, session.uid, session.expiresAt],
  )
  return rowCount === 1
}

export async function sessionsOf(query: Query, uid: string): Promise<string[]> {
  const { rows } = await query.query<{ hash: string }>('select hash from session_of where uid = $1', [uid])
  return rows.map(({ hash }) => hash)
}

export async function forgetOldSessions(query: Query, now: number): Promise<void> {
  await query.query('delete from session_of where expires_at < $1', [now])
}
