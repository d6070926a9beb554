import type { Query, Tx } from '@prelude/platform'

/**
 * Queues the analysis of the song's takes, as they are since the event at this position of songs' log. Answers false, and does
 * nothing, when a later event was handled before, or when the song was erased.
 */
export async function queue(
  tx: Tx,
  { songId, uid, position }: { songId: string; uid: string; position: number },
  dueAt: number,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into analysis (song_id, uid, takes_position, due_at)
     select $1, $2, $3, $4 where exists (select from audio where song_id = $1 and state <> 'leaving')
     on conflict (song_id) do update
       set uid = excluded.uid, takes_position = excluded.takes_position, done = false, attempts = 0, due_at = excluded.due_at
       where analysis.takes_position < excluded.takes_position`,
    [songId, uid, position, new Date(dueAt)],
  )
  return rowCount > 0
}

/** Not before this time. */
export const postpone = (tx: Tx, songId: string, dueAt: number) =>
  tx.query('update analysis set due_at = $2 where song_id = $1', [songId, new Date(dueAt)])

export async function deleteAnalysis(tx: Tx, songId: string): Promise<void> {
  await tx.query('delete from analysis where song_id = $1', [songId])
}

export interface QueuedAnalysis {
  readonly songId: string
  readonly uid: string
  readonly attempts: number
}

/** Leases one that is due, for `leaseMs`. */
export async function leaseDue(
  query: Query,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<QueuedAnalysis | null> {
  const { rows } = await query.query<QueuedAnalysis>(
    `update analysis set attempts = attempts + 1, due_at = $2
     where song_id = (
       select song_id from analysis where not done and due_at <= $1 order by due_at limit 1 for update skip locked
     )
     returning song_id as "songId", uid, attempts`,
    [new Date(now), new Date(now + leaseMs)],
  )
  return rows[0] ?? null
}

/** No effect when it was queued again meanwhile. */
export const retryAt = (query: Query, { songId, attempts }: QueuedAnalysis, dueAt: number) =>
  query.query('update analysis set due_at = $3 where song_id = $1 and attempts = $2 and not done', [
    songId,
    attempts,
    new Date(dueAt),
  ])

/** Counts an attempt to decode the object. Answers how many have not succeeded, with this one. */
export async function countAttempt(query: Query, path: string): Promise<number> {
  const { rows } = await query.query<{ attempts: number }>(
    'update audio set decode_attempts = decode_attempts + 1 where path = $1 returning decode_attempts as attempts',
    [path],
  )
  return rows[0]?.attempts ?? 1
}

/** For an attempt that succeeded, or that a shutdown interrupted. */
export const uncountAttempt = (query: Query, path: string) =>
  query.query('update audio set decode_attempts = decode_attempts - 1 where path = $1', [path])

export interface Analysis {
  readonly path: string
  readonly peaks: readonly number[]
  readonly loudnessLufs: number | null
}

/**
 * False when one of the objects is no take any more: then the song is analysed once more, as it is when another take has come
 * meanwhile.
 */
export async function recordAnalysis(
  tx: Tx,
  songId: string,
  analyses: readonly Analysis[],
): Promise<boolean> {
  for (const { path, peaks, loudnessLufs } of analyses) {
    const { rowCount } = await tx.query(
      `update audio set peaks = $2, loudness_lufs = $3 where path = $1 and state = 'named'`,
      [path, JSON.stringify(peaks), loudnessLufs],
    )
    if (rowCount === 0) return false
  }
  // a statement of its own: the next one sees what another transaction that held the row has committed
  await tx.query('select from analysis where song_id = $1 for update', [songId])
  await tx.query(
    `update analysis set done = not exists (
       select from audio where audio.song_id = $1 and state = 'named' and peaks is null)
     where song_id = $1`,
    [songId],
  )
  return true
}

/** Null until the object was analysed. */
export async function findWaveform(
  query: Query,
  path: string,
): Promise<{ durationMs: number; peaks: number[]; loudnessLufs: number | null } | null> {
  const { rows } = await query.query<{ durationMs: number; peaks: number[]; loudnessLufs: number | null }>(
    `select duration_ms as "durationMs", peaks, loudness_lufs as "loudnessLufs" from audio
     where path = $1 and state = 'named' and peaks is not null`,
    [path],
  )
  return rows[0] ?? null
}
