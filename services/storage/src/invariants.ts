import type { BlobStore, Invariant, Query } from '@prelude/platform'
import { sha256Of } from './staging.ts'

/**
 * What must hold for the audio of songs at any time. Each query runs with this service's schema on the search path and
 * answers the rows that break its rule.
 */
export const storageInvariants: readonly Invariant[] = [
  {
    name: 'a song is served in both versions or not at all',
    of: 'audio',
    sql: `select song_id, count(*) from audio where state = 'current' group by song_id having count(*) <> 2`,
  },
  {
    name: 'every object lies in the folder of its song and says its version',
    of: 'audio',
    sql: `select path from audio where not starts_with(path, 'songs/' || song_id || '/version' || version || '_')`,
  },
  {
    name: 'no placement waits longer than an hour to be kept or removed',
    of: 'audio',
    sql: `select path, claim from audio where state <> 'current' and coalesce(leaving_at, created_at) < now() - interval '1 hour'
            and (claim is null or not exists (select from claim c where c.token = audio.claim and c.expires_at > now()))`,
  },
  {
    name: 'what is served plays for at least a second',
    of: 'audio',
    sql: `select path, duration_ms from audio where state = 'current' and duration_ms < 1000`,
  },
  {
    name: 'every fulfilled song is analysed within an hour',
    of: 'analysis',
    sql: `select song_id, attempts from analysis where not done and due_at < now() - interval '1 hour'`,
  },
  {
    name: 'an analysed song has the waveforms of what is served',
    of: 'analysis',
    sql: `select a.path from audio a join analysis using (song_id) where analysis.done and a.state = 'current' and a.peaks is null`,
  },
]

export interface StoreFinding {
  readonly path: string
  readonly problem: 'missing' | 'another size' | 'other bytes' | 'of no song'
}

/** The sweep deletes unnamed objects after a day; one more day for a sweep that failed. */
const STRAY_AFTER_MS = 48 * 60 * 60 * 1000

/** Compares names and sizes of the served objects with the object store, in one listing. */
export async function storeCheck(
  query: Query,
  blobs: BlobStore,
): Promise<{ count: number; findings: StoreFinding[] }> {
  const { rows } = await query.query<{ path: string; sizeBytes: number; isServed: boolean }>(
    `select path, size_bytes as "sizeBytes", state = 'current' as "isServed" from audio`,
  )
  const recorded = new Map(rows.map((row) => [row.path, row]))
  const unseen = new Set(rows.filter(({ isServed }) => isServed).map(({ path }) => path))
  const count = unseen.size
  const findings: StoreFinding[] = []
  const strayBefore = Date.now() - STRAY_AFTER_MS
  for await (const { path, sizeBytes, modifiedAt } of blobs.list('songs/')) {
    const row = recorded.get(path)
    if (!row && modifiedAt < strayBefore) findings.push({ path, problem: 'of no song' })
    if (row?.isServed && row.sizeBytes !== sizeBytes) findings.push({ path, problem: 'another size' })
    unseen.delete(path)
  }
  // while the product runs a version may have been replaced since
  const { rows: served } = await query.query<{ path: string }>(
    `select path from audio where path = any($1) and state = 'current'`,
    [[...unseen]],
  )
  for (const { path } of served) if (!(await blobs.head(path))) findings.push({ path, problem: 'missing' })
  return { count, findings }
}

/** Reads every served object and compares it with its record. Slow. */
export async function* deepCheck(query: Query, blobs: BlobStore): AsyncGenerator<StoreFinding> {
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
