import type { Charge } from '@prelude/contracts'
import type { Query, Tx } from '@prelude/platform'

export async function markClosed(tx: Tx, uid: string, at: number): Promise<void> {
  await tx.query('insert into closed_account (uid, closed_at) values ($1, $2) on conflict do nothing', [
    uid,
    at,
  ])
}

/** Deletes a person's songs but for their ids and charges, and their links but for the hashes. Answers the songs' ids. */
export async function eraseSongsOf(tx: Tx, uid: string, at: number): Promise<string[]> {
  await tx.query(
    `insert into erased_share (token_hash, erased_at)
     select sha256(token), $2 from share join song on song.id = song_id where uid = $1`,
    [uid, at],
  )
  const { rows } = await tx.query<{ id: string }>(
    `with gone as (delete from song where uid = $1 returning id, uid, charge)
     insert into erased_song (id, uid, charge, erased_at) select id, uid, charge, $2 from gone returning id`,
    [uid, at],
  )
  return rows.map(({ id }) => id)
}

/** People whose account was closed since then, but who still have songs. */
export async function closedWithSongs(db: Query, since: number): Promise<string[]> {
  const { rows } = await db.query<{ uid: string }>(
    `select uid from closed_account where closed_at >= $1 and exists (select from song where song.uid = closed_account.uid)`,
    [since],
  )
  return rows.map(({ uid }) => uid)
}

/** Locked until the transaction ends. */
export async function lockErasedCharge(tx: Tx, id: string): Promise<Charge | null> {
  const { rows } = await tx.query<{ charge: Charge }>(
    'select charge from erased_song where id = $1 for update',
    [id],
  )
  return rows[0]?.charge ?? null
}

export async function saveErasedCharge(tx: Tx, id: string, charge: Charge): Promise<void> {
  await tx.query('update erased_song set charge = $2 where id = $1 and charge <> $2', [id, charge])
}
