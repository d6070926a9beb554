import type { Take } from '@prelude/contracts'
import type { Query, Tx } from '@prelude/platform'
import { CERTIFICATE_ID } from './certificate.ts'

/** The takes of the row of `song` that a statement reads, as JSON. */
export const TAKES = `(select coalesce(json_agg(json_build_object('version', version, 'take', take, 'objectId', object_id, 'path', path,
  'contentType', content_type, 'sizeBytes', size_bytes, 'sha256', sha256, 'durationMs', duration_ms, 'made', made)
  order by version, take), '[]') from take where song_id = song.id)`

interface Recordings {
  readonly takes: readonly Take[]
  readonly certificateId: string | null
}

/** Takes and the certificate of the newest, by song. */
export async function takesOf(query: Query, songIds: readonly string[]): Promise<Map<string, Recordings>> {
  const { rows } = await query.query<Recordings & { id: string }>(
    `select id, ${TAKES} as takes, ${CERTIFICATE_ID} as "certificateId" from song where id = any($1::uuid[])`,
    [songIds],
  )
  return new Map(rows.map(({ id, takes, certificateId }) => [id, { takes, certificateId }]))
}

/** Writes new takes and those that changed. */
export function saveTakes(tx: Tx, songId: string, takes: readonly Take[]): void {
  tx.execute(
    `insert into take (song_id, version, take, object_id, path, content_type, size_bytes, sha256, duration_ms, made)
     select $1, version, take, "objectId", path, "contentType", "sizeBytes", sha256, "durationMs", made
     from json_to_recordset($2) as given (version smallint, take integer, "objectId" uuid, path text, "contentType" text,
       "sizeBytes" bigint, sha256 text, "durationMs" bigint, made jsonb)
     on conflict (song_id, version, take) do update
       set object_id = excluded.object_id, path = excluded.path, content_type = excluded.content_type, size_bytes = excluded.size_bytes,
           sha256 = excluded.sha256, duration_ms = excluded.duration_ms, made = excluded.made
       where take.object_id <> excluded.object_id or take.made is distinct from excluded.made`,
    [songId, JSON.stringify(takes)],
  )
}

/** Of these object paths, those that a song names. */
export async function findNamedPaths(db: Query, paths: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ path: string }>('select path from take where path = any($1::text[])', [
    paths,
  ])
  return rows.map(({ path }) => path)
}
