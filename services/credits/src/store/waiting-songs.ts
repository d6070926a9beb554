import type { Tx } from '@prelude/platform'

/** False when the song is on the list already. Call it with the account locked, as everything here. */
export async function waitForCredits(
  tx: Tx,
  song: { songId: string; uid: string; requestedAt: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into waiting_song (song_id, uid, requested_at) values ($1, $2, to_timestamp($3::float8 / 1000))
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
export async function stopWaiting(tx: Tx, songIds: readonly string[], as: 'charged' | 'gift'): Promise<void> {
  await tx.query(
    'update waiting_song set closed_at = now(), closed_as = $2 where song_id = any($1) and closed_at is null',
    [songIds, as],
  )
}
