import type { Query, Tx } from '@prelude/platform'

export interface Audio {
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

const COLUMNS = `path, song_id as "songId", version, original_name as "originalName", format,
  size_bytes as "sizeBytes", sha256, duration_ms as "durationMs", bitrate, channels`

/** Answers the paths that were free: only these have a row now. */
export async function insertPlaced(
  query: Query,
  audios: readonly Audio[],
  token: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await query.query<{ path: string }>(
    `insert into audio (path, song_id, version, state, claim, original_name, format, size_bytes, sha256,
                        duration_ms, bitrate, channels)
     select path, "songId", version, 'placed', $2, "originalName", format, "sizeBytes", sha256,
            "durationMs", bitrate, channels
     from jsonb_to_recordset($1) as placed (path text, "songId" text, version smallint, "originalName" text,
       format text, "sizeBytes" bigint, sha256 text, "durationMs" bigint, bitrate bigint, channels smallint)
     on conflict (path) do nothing returning path`,
    [JSON.stringify(audios), token],
  )
  return new Set(rows.map(({ path }) => path))
}

export async function placedUnder(query: Query, token: string): Promise<Audio[]> {
  const { rows } = await query.query<Audio>(
    `select ${COLUMNS} from audio where claim = $1 order by version`,
    [token],
  )
  return rows
}

/** From now on the objects of the claim may be deleted. Answers their paths. */
export async function dismiss(query: Query, token: string): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    `update audio set state = 'leaving', leaving_at = now(), claim = null where claim = $1 returning path`,
    [token],
  )
  return rows.map(({ path }) => path)
}

/** The same for all objects of a song; the next round of `takeOverdue` deletes them. */
export async function dismissSong(tx: Tx, songId: string): Promise<void> {
  await tx.query(
    `update audio set state = 'leaving', leaving_at = now() - interval '10 minutes', claim = null, original_name = '',
       peaks = null, loudness_lufs = null
     where song_id = $1`,
    [songId],
  )
}

/**
 * Paths whose object should have been deleted `afterMs` ago. The caller deletes them; no other caller gets them for as long,
 * since a late delete could hit an object that was placed at the same path meanwhile.
 */
export async function takeOverdue(query: Query, afterMs: number): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    `update audio set leaving_at = now()
     where state = 'leaving' and leaving_at < now() - $1 * interval '1 millisecond' returning path`,
    [afterMs],
  )
  return rows.map(({ path }) => path)
}

/** The object is gone, so its path may be used again. */
export const forget = (query: Query, path: string) =>
  query.query(`delete from audio where path = $1 and state = 'leaving'`, [path])

/** The served versions of a song: none, one or two. */
export async function currentVersions(query: Query, songId: string): Promise<Audio[]> {
  const { rows } = await query.query<Audio>(
    `select ${COLUMNS} from audio where song_id = $1 and state = 'current' order by version`,
    [songId],
  )
  return rows
}

/** The claims that hold objects of this song. */
export async function tokensOf(query: Query, songId: string): Promise<string[]> {
  const { rows } = await query.query<{ token: string }>(
    `select distinct claim as token from audio where song_id = $1 and state = 'placed'`,
    [songId],
  )
  return rows.map(({ token }) => token)
}

/** Of these paths, those that are served or being placed. */
export async function heldPaths(query: Query, paths: readonly string[]): Promise<string[]> {
  const { rows } = await query.query<{ path: string }>(
    `select path from audio where path = any($1::text[]) and state <> 'leaving'`,
    [paths],
  )
  return rows.map(({ path }) => path)
}
