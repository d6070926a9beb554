import type { Tx } from '@prelude/platform'

/**
 * All tables with people in them, and which rows stay: mails to the operator about a suspicious payment, whose money may have
 * to go back, and the mail that confirms the closing. None of the others is stored for a closed account: each table has the
 * trigger `only_of_open_account`.
 */
const TABLES = [
  ['message', `kind in ('payment-suspicious', 'account-closed')`],
  ['unannounced_request', 'false'],
  ['announced_request', 'false'],
  ['notice', 'false'],
  ['preference', 'false'],
  ['push_subscription', 'false'],
] as const

/** Waits for transactions that store something about this person now. Nothing is stored afterwards. */
export async function closeAccount(tx: Tx, uid: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('account:' || $1, 0))`, [uid])
  await tx.query('insert into closed_account (uid) values ($1) on conflict do nothing', [uid])
  await erase(tx, '= $1', [uid])
}

/** Deletes what earlier versions stored of closed accounts. */
export const eraseClosedAccounts = (tx: Tx): Promise<void> =>
  erase(tx, '= any(array(select uid from closed_account))', [])

async function erase(tx: Tx, whose: string, params: readonly string[]): Promise<void> {
  for (const [table, stays] of TABLES)
    await tx.query(`delete from ${table} where uid ${whose} and not (${stays})`, params)
}
