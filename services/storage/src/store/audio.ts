import type { EventData, TakesChanged } from '@prelude/contracts'
import type { Query, Tx } from '@prelude/platform'

export interface Audio {
  readonly id: string
  readonly path: string
  readonly songId: string
  readonly version: number
  readonly originalName: string
  readonly format: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly durationMs: number
  readonly bitrate: number
  readonly channels: number
}

const COLUMNS = `id, path, song_id as "songId", version, original_name as "originalName", format,
  size_bytes as "sizeBytes", sha256, duration_ms as "durationMs", bitrate, channels`

/** Answers the paths that were free: only these have a row now. */
export async function insertPlaced(query: Query, audios: readonly Audio[]): Promise<ReadonlySet<string>> {
  const { rows } = await query.query<{ path: string }>(
    `insert into audio (id, path, song_id, version, state, original_name, format, size_bytes, sha256,
                        duration_ms, bitrate, channels)
     select id, path, "songId", version, 'placed', "originalName", format, "sizeBytes", sha256,
            "durationMs", bitrate, channels
     from jsonb_to_recordset($1) as placed (id uuid, path text, "songId" text, version smallint, "originalName" text,
       format text, "sizeBytes" bigint, sha256 text, "durationMs" bigint, bitrate bigint, channels smallint)
     on conflict (path) do nothing returning path`,
    [JSON.stringify(audios)],
  )
  return new Set(rows.map(({ path }) => path))
}

/** The recorded objects with these paths, in their order; those that are leaving are left out. */
export async function findAudio(query: Query, paths: readonly string[]): Promise<Audio[]> {
  const { rows } = await query.query<Audio>(
    `select ${COLUMNS} from audio where path = any($1::text[]) and state <> 'leaving'
     order by array_position($1::text[], path)`,
    [paths],
  )
  return rows
}

export interface NamedAudio extends Audio {
  readonly take: number
  readonly isAnalyzed: boolean
  readonly loudnessLufs: number | null
}

/** All takes of a song, by version and number. */
export async function takesOf(query: Query, songId: string): Promise<NamedAudio[]> {
  const { rows } = await query.query<NamedAudio>(
    `select ${COLUMNS}, take, peaks is not null as "isAnalyzed", loudness_lufs as "loudnessLufs"
     from audio where song_id = $1 and state = 'named' order by version, take`,
    [songId],
  )
  return rows
}

/** The objects are the song's takes, and those that were are not any more. Answers whether there were such. */
export async function nameTakes(
  tx: Tx,
  songId: string,
  takes: EventData<typeof TakesChanged>['takes'],
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update audio set state = 'leaving', delete_after = now()
     where song_id = $1 and state = 'named' and id <> all($2::uuid[])`,
    [songId, takes.map(({ objectId }) => objectId)],
  )
  await tx.query(
    `update audio set state = 'named', take = named.take
     from jsonb_to_recordset($1) as named ("objectId" uuid, take integer)
     where audio.id = named."objectId" and audio.state <> 'leaving'`,
    [JSON.stringify(takes)],
  )
  return rowCount > 0
}

/** Objects that no song has named and none will: the job deletes them, not before `afterMs`. Answers their paths. */
export async function dismissPlaced(query: Query, ids: readonly string[], afterMs = 0): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    `update audio set state = 'leaving', delete_after = now() + $2 * interval '1 millisecond'
     where id = any($1::uuid[]) and state = 'placed' returning path`,
    [ids, afterMs],
  )
  return rows.map(({ path }) => path)
}

/** All objects of a song; what is known of them beyond their paths is forgotten. */
export async function dismissSong(tx: Tx, songId: string): Promise<void> {
  await tx.query(
    `update audio set state = 'leaving', delete_after = now(), original_name = null, peaks = null, loudness_lufs = null
     where song_id = $1`,
    [songId],
  )
}

/** Objects that no event has named for so long. */
export async function findUnnamed(query: Query, ageMs: number): Promise<Pick<Audio, 'id' | 'path'>[]> {
  const { rows } = await query.query<Pick<Audio, 'id' | 'path'>>(
    `select id, path from audio where state = 'placed' and created_at < now() - $1 * interval '1 millisecond'`,
    [ageMs],
  )
  return rows
}

/** Of these paths, those that have a row. */
export async function recordedPaths(query: Query, paths: readonly string[]): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    'select path from audio where path = any($1::text[])',
    [paths],
  )
  return rows.map(({ path }) => path)
}

/** Objects without a row: they get one, so that no placement gets their paths while they are deleted. */
export async function dismissUnrecorded(query: Query, paths: readonly string[]): Promise<void> {
  await query.query(
    `insert into audio (path, state, delete_after) select unnest($1::text[]), 'leaving', now() on conflict do nothing`,
    [paths],
  )
}

/** Leases some objects that are to be deleted for `leaseMs`: no other caller gets them for as long. */
export async function leaseLeaving(query: Query, leaseMs: number, limit: number): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    `update audio set delete_after = now() + $1 * interval '1 millisecond'
     where path in (
       select path from audio where state = 'leaving' and delete_after <= now() limit $2 for update skip locked
     ) returning path`,
    [leaseMs, limit],
  )
  return rows.map(({ path }) => path)
}

/** The object is deleted, so its path may be used again. */
export const deleteAudio = (query: Query, path: string) =>
  query.query(`delete from audio where path = $1 and state = 'leaving'`, [path])
