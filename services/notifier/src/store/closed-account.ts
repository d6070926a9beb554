import type { Tx } from '@prelude/platform'

/**
 * To be called before something is stored for these people: until the transaction ends, none of their accounts is closed beside
 * it, which would not see what is stored, and leave it.
 */
export function lockAccounts(tx: Tx, uids: readonly string[]): void {
  tx.execute(
    `select pg_advisory_xact_lock_shared(key) from (
       select distinct hashtextextended('account:' || uid, 0) as key from unnest($1::text[]) as uid order by key) keys`,
    [uids],
  )
}

/** Nothing is stored for this person afterwards. */
export async function markClosed(tx: Tx, uid: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('account:' || $1, 0))`, [uid])
  await tx.query('insert into closed_account (uid) values ($1) on conflict do nothing', [uid])
}
