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

/** `draftId`: the draft that it is a copy of. */
export type NewAudio = Audio & { readonly draftId: string | null }

const COLUMNS = `id, path, song_id as "songId", version, original_name as "originalName", format,
  size_bytes as "sizeBytes", sha256, duration_ms as "durationMs", bitrate, channels`

/** Answers the paths that were free: only these have a row now. */
export async function insertPlaced(
  query: Query,
  audios: readonly NewAudio[],
  placedAt: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await query.query<{ path: string }>(
    `insert into audio (id, path, song_id, version, state, original_name, format, size_bytes, sha256,
                        duration_ms, bitrate, channels, draft_id, created_at)
     select id, path, "songId", version, 'placed', "originalName", format, "sizeBytes", sha256,
            "durationMs", bitrate, channels, "draftId", $2
     from jsonb_to_recordset($1) as placed (id uuid, path text, "songId" text, version smallint, "originalName" text,
       format text, "sizeBytes" bigint, sha256 text, "durationMs" bigint, bitrate bigint, channels smallint, "draftId" uuid)
     on conflict (path) do nothing returning path`,
    [JSON.stringify(audios), new Date(placedAt)],
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
  { songId, takes }: Pick<EventData<typeof TakesChanged>, 'songId' | 'takes'>,
  now: number,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update audio set state = 'leaving', delete_after = $3
     where song_id = $1 and state = 'named' and id <> all($2::uuid[])`,
    [songId, takes.map(({ objectId }) => objectId), new Date(now)],
  )
  await tx.query(
    `update audio set state = 'named', take = named.take
     from jsonb_to_recordset($1) as named ("objectId" uuid, take integer)
     where audio.id = named."objectId" and audio.state <> 'leaving'`,
    [JSON.stringify(takes)],
  )
  return rowCount > 0
}

/** Objects that no song has named and none will: the job deletes them, not before `deleteAfter`. Answers their paths. */
export async function dismissPlaced(
  query: Query,
  ids: readonly string[],
  deleteAfter: number,
): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    `update audio set state = 'leaving', delete_after = $2
     where id = any($1::uuid[]) and state = 'placed' returning path`,
    [ids, new Date(deleteAfter)],
  )
  return rows.map(({ path }) => path)
}

/** All objects of a song; what is known of them beyond their paths is forgotten. */
export async function dismissSong(tx: Tx, songId: string, now: number): Promise<void> {
  await tx.query(
    `update audio set state = 'leaving', delete_after = $2, original_name = null, peaks = null, loudness_lufs = null
     where song_id = $1 and (state <> 'leaving' or num_nonnulls(original_name, peaks, loudness_lufs) > 0)`,
    [songId, new Date(now)],
  )
}

/** Objects that were placed before then, and that no event has named. */
export async function findUnnamed(query: Query, before: number): Promise<Pick<Audio, 'id' | 'path'>[]> {
  const { rows } = await query.query<Pick<Audio, 'id' | 'path'>>(
    `select id, path from audio where state = 'placed' and created_at < $1`,
    [new Date(before)],
  )
  return rows
}

/** Of these paths, those that have a row, of an object or a draft. */
export async function recordedPaths(query: Query, paths: readonly string[]): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    `select path from audio where path = any($1::text[]) union select path from draft where path = any($1::text[])`,
    [paths],
  )
  return rows.map(({ path }) => path)
}

/** Objects without a row: they get one, so that no placement gets their paths while they are deleted. */
export async function dismissUnrecorded(query: Query, paths: readonly string[], now: number): Promise<void> {
  await query.query(
    `insert into audio (path, state, delete_after) select unnest($1::text[]), 'leaving', $2 on conflict do nothing`,
    [paths, new Date(now)],
  )
}

/** Leases some objects that are to be deleted for `leaseMs`: no other caller gets them for as long. */
export async function leaseLeaving(
  query: Query,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    `update audio set delete_after = $2
     where path in (
       select path from audio where state = 'leaving' and delete_after <= $1 limit $3 for update skip locked
     ) returning path`,
    [new Date(now), new Date(now + leaseMs), limit],
  )
  return rows.map(({ path }) => path)
}

/** The object is deleted, so its path may be used again. */
export const deleteAudio = (query: Query, path: string) =>
  query.query(`delete from audio where path = $1 and state = 'leaving'`, [path])
