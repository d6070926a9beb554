import type { Tx } from '@prelude/platform'

/** False when the song is listed already, or its owner's account closed. Like all functions here, call it with the account locked. */
export async function waitForCredits(
  tx: Tx,
  song: { songId: string; uid: string; requestedAt: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into waiting_song (song_id, uid, requested_at) select $1::text, $2::text, to_timestamp($3::float8 / 1000)
     where not exists (select from closed_account where uid = $2::text)
     on conflict (song_id) do nothing`,
    [song.songId, song.uid, song.requestedAt],
  )
  return rowCount > 0
}

/** The ids of at most `limit` songs that wait, in the order of their requests. */
export async function oldestWaitingSongs(tx: Tx, uid: string, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ song_id: string }>(
    'select song_id from waiting_song where uid = $1 and closed_at is null order by position limit $2',
    [uid, limit],
  )
  return rows.map((row) => row.song_id)
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
