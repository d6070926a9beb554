import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Clock, Invariant, Query } from '@prelude/platform'
import type { BlobStore } from './blobs/index.ts'
import { PREFIXES } from './domain/file-name.ts'

/**
 * What must hold for the audio of songs at any time. Each query runs with this service's schema on the search path and
 * answers the rows that break its rule.
 */
export const storageInvariants: readonly Invariant[] = [
  {
    name: 'the takes of a song are of both versions',
    of: 'audio',
    sql: `select song_id from audio where state = 'named' group by song_id having count(distinct version) <> 2`,
  },
  {
    name: 'every object lies in the folder of its song and says its version',
    of: 'audio',
    sql: `select path from audio where not starts_with(path, 'songs/' || song_id || '/version' || version || '_')`,
  },
  {
    name: 'an object is named or goes within two days',
    of: 'audio',
    sql: `select path from audio where state = 'placed' and created_at < to_timestamp($1 / 1000.0) - interval '2 days'`,
  },
  {
    name: 'an object that is to go is deleted within an hour, or a delete was tried',
    of: 'audio',
    sql: `select path from audio where state = 'leaving' and delete_after < to_timestamp($1 / 1000.0) - interval '1 hour'`,
  },
  {
    name: 'every take plays for at least a second',
    of: 'audio',
    sql: `select path, duration_ms from audio where state = 'named' and duration_ms < 1000`,
  },
  {
    name: 'every fulfilled song is analysed within an hour',
    of: 'analysis',
    sql: `select song_id, attempts from analysis where not done and due_at < to_timestamp($1 / 1000.0) - interval '1 hour'`,
  },
  {
    name: 'an analysed song has the waveforms of its takes',
    of: 'analysis',
    sql: `select a.path from audio a join analysis using (song_id) where analysis.done and a.state = 'named' and a.peaks is null`,
  },
  {
    name: 'a draft in the list is of a song that is not closed, and its number was counted',
    of: "draft where state <> 'removed'",
    sql: `select d.id from draft d left join draft_song s using (song_id)
          where d.state <> 'removed' and (s.song_id is null or d.n > s.last_n)`,
  },
  {
    name: 'nothing is kept of what was sent for a draft',
    of: 'draft',
    sql: `select id from draft where request is not null and state not in ('waiting', 'sending')`,
  },
]

/** Objects that must be there as they are recorded. */
const KEPT = `select path, size_bytes as "sizeBytes", sha256 from audio where state = 'named'
  union all select path, size_bytes, sha256 from draft where state = 'ready'`

interface StoreFinding {
  readonly path: string
  readonly problem: 'missing' | 'another size' | 'other bytes' | 'of no song'
}

/** The sweep deletes unnamed objects after a day; one more day for a sweep that failed. */
const STRAY_AFTER_MS = 48 * 60 * 60 * 1000

/** Compares names and sizes of all takes and ready drafts with the object store. */
export async function storeCheck(
  query: Query,
  blobs: BlobStore,
  clock: Clock,
): Promise<{ count: number; findings: StoreFinding[] }> {
  const { rows } = await query.query<{ path: string; sizeBytes: number; isKept: boolean }>(
    `select path, size_bytes as "sizeBytes", state = 'named' as "isKept" from audio
     union all select path, size_bytes, state = 'ready' from draft where path is not null`,
  )
  const recorded = new Map(rows.map((row) => [row.path, row]))
  const unseen = new Set(rows.filter(({ isKept }) => isKept).map(({ path }) => path))
  const count = unseen.size
  const findings: StoreFinding[] = []
  const strayBefore = clock.now() - STRAY_AFTER_MS
  for (const prefix of PREFIXES)
    for await (const { path, sizeBytes, modifiedAt } of blobs.list(prefix)) {
      const row = recorded.get(path)
      if (!row && modifiedAt < strayBefore) findings.push({ path, problem: 'of no song' })
      if (row?.isKept && row.sizeBytes !== sizeBytes) findings.push({ path, problem: 'another size' })
      unseen.delete(path)
    }
  // while the product runs a take may have been replaced, or a draft removed, since
  const { rows: kept } = await query.query<{ path: string }>(
    `select path from (${KEPT}) as kept where path = any($1)`,
    [[...unseen]],
  )
  for (const { path } of kept) if (!(await blobs.head(path))) findings.push({ path, problem: 'missing' })
  return { count, findings }
}

/** Reads the object of every take and every ready draft and compares it with its record. Slow. */
export async function* deepCheck(query: Query, blobs: BlobStore): AsyncGenerator<StoreFinding> {
  const { rows } = await query.query<{ path: string; sizeBytes: number; sha256: string }>(
    `${KEPT} order by path`,
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

async function sha256Of(source: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
