import type { BlobStore, Query } from '@prelude/platform'
import { sha256Of } from './staging.ts'

/**
 * What must hold for the audio of songs at any time. Each query runs with this service's schema on the search path and
 * answers the rows that break its rule.
 */
export const storageInvariants: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'a song is served in both versions or not at all',
    sql: `select song_id, count(*) from audio where state = 'current' group by song_id having count(*) <> 2`,
  },
  {
    name: 'every object lies in the folder of its song and says its version',
    sql: `select path from audio where not starts_with(path, 'songs/' || song_id || '/version' || version || '_')`,
  },
  {
    name: 'no placement waits longer than an hour to be kept or removed',
    sql: `select path, claim from audio where state <> 'current' and created_at < now() - interval '1 hour'
            and (claim is null or not exists (select from claim c where c.token = audio.claim and c.expires_at > now()))`,
  },
  {
    name: 'what is served plays for at least a second',
    sql: `select path, duration_ms from audio where state = 'current' and duration_ms < 1000`,
  },
  {
    name: 'every fulfilled song is analysed within an hour',
    sql: `select song_id, attempts from analysis where not done and due_at < now() - interval '1 hour'`,
  },
  {
    name: 'an analysed song has the waveforms of what is served',
    sql: `select a.path from audio a join analysis using (song_id) where analysis.done and a.state = 'current' and a.peaks is null`,
  },
]

export interface DeepFinding {
  readonly path: string
  readonly problem: 'missing' | 'another size' | 'other bytes'
}

/** Reads every object that is served and compares it with what was recorded when it was placed. Slow: it reads them all. */
export async function* deepCheck(query: Query, blobs: BlobStore): AsyncGenerator<DeepFinding> {
  const { rows } = await query.query<{ path: string; sizeBytes: number; sha256: string }>(
    `select path, size_bytes as "sizeBytes", sha256 from audio where state = 'current' order by path`,
  )
  for (const { path, sizeBytes, sha256 } of rows) {
    const found = await blobs.head(path)
    const bytes = found && (await blobs.get(path))
    if (!found || !bytes) yield { path, problem: 'missing' }
    else if (found.sizeBytes !== sizeBytes) {
      bytes.destroy()
      yield { path, problem: 'another size' }
    } else if ((await sha256Of(bytes)) !== sha256) yield { path, problem: 'other bytes' }
  }
}
