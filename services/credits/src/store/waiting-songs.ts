import type { Tx } from '@prelude/platform'

export interface WaitingSong {
  readonly songId: string
  readonly priceCents: number
}

/** False when the song is listed already, or its owner's account closed. Like all functions here, call it with the account locked. */
export async function waitForCredits(
  tx: Tx,
  song: WaitingSong & { uid: string; requestedAt: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into waiting_song (song_id, uid, requested_at, price_cents)
     select $1::text, $2::text, to_timestamp($3::float8 / 1000), $4::integer
     where not exists (select from closed_account where uid = $2::text)
     on conflict (song_id) do nothing`,
    [song.songId, song.uid, song.requestedAt, song.priceCents],
  )
  return rowCount > 0
}

/** The oldest of the waiting songs that cost no more than the balance: as many as it pays for, in the order of their requests. */
export async function affordableSongs(tx: Tx, uid: string, balanceCents: number): Promise<WaitingSong[]> {
  const { rows } = await tx.query<WaitingSong>(
    `select song_id as "songId", price_cents as "priceCents" from (
       select song_id, price_cents, position, sum(price_cents) over (order by position) as total
       from waiting_song where uid = $1 and closed_at is null and price_cents <= $2) oldest
     where total <= $2 order by position`,
    [uid, balanceCents],
  )
  return rows
}

/** Songs that do not wait are left as they are. */
export async function stopWaiting(
  tx: Tx,
  songIds: readonly string[],
  as: 'charged' | 'gift' | 'closed',
  at: number,
): Promise<void> {
  await tx.query(
    `update waiting_song set closed_at = to_timestamp($3 / 1000.0), closed_as = $2
     where song_id = any($1) and closed_at is null`,
    [songIds, as, at],
  )
}

/** All songs of a person whose account was closed. */
export async function stopWaitingOf(tx: Tx, uid: string, at: number): Promise<void> {
  await tx.query(
    `update waiting_song set closed_at = to_timestamp($2 / 1000.0), closed_as = 'erased'
     where uid = $1 and closed_at is null`,
    [uid, at],
  )
}
