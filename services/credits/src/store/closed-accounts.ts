import type { Tx } from '@prelude/platform'

export async function markClosed(tx: Tx, uid: string): Promise<void> {
  await tx.query('insert into closed_account (uid) values ($1) on conflict do nothing', [uid])
}
