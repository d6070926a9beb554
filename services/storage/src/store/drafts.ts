import { type Draft, DraftChanged } from '@prelude/contracts'
import type { Query, Tx } from '@prelude/platform'
import type { Seen, Task } from '../domain/draft.ts'
import type { GeneratorRequest } from '../generator/port.ts'

/** What is sent; the audio of which a part is made again by its path. */
export type DraftRequest = Omit<GeneratorRequest, 'again'> & {
  readonly again: { readonly path: string; readonly fromMs: number; readonly toMs: number } | null
}

/** A draft as the operator sees it, or one that was removed. */
export type Shown = Omit<Draft, 'state'> & { readonly state: Draft['state'] | 'removed' }

const SHOWN = `id, song_id as "songId", n, revision,
  case state when 'sending' then 'waiting' when 'queued' then 'waiting' when 'fetching' then 'making' else state end as state,
  seed, duration_ms as "durationMs", made_with as "with", error, case state when 'ready' then id end as "uploadId",
  expected_at as "expectedAt", created_at as "createdAt", ready_at as "readyAt"`
const UNDER_WAY = `(state in ('waiting', 'sending', 'queued', 'making', 'fetching') or at_generator)`

/** Whose draft changed; null fields once the song is closed. */
interface Changed {
  readonly id: string
  readonly songId: string | null
  readonly uid: string | null
}

function announce(tx: Tx, changed: readonly Changed[]): void {
  for (const { id, songId, uid } of changed)
    if (songId !== null && uid !== null) tx.emit(DraftChanged, { draftId: id, songId, uid })
}

/** The song can have drafts from here on, until it is closed. Answers whether it could not before. */
export const admitSong = async (query: Query, songId: string): Promise<boolean> =>
  (await query.query('insert into draft_song (song_id) values ($1) on conflict do nothing', [songId]))
    .rowCount === 1

/** Locks the song to commit. Null: it is closed. */
export async function lockSong(tx: Tx, songId: string): Promise<{ lastN: number; listed: number } | null> {
  const { rows } = await tx.query<{ lastN: number }>(
    'select last_n as "lastN" from draft_song where song_id = $1 for update',
    [songId],
  )
  if (!rows[0]) return null
  // a statement of its own, which sees what the one before has waited for
  const { rows: drafts } = await tx.query<{ listed: number }>(
    `select count(*) as listed from draft where song_id = $1 and state <> 'removed'`,
    [songId],
  )
  return { ...rows[0], listed: drafts[0]?.listed ?? 0 }
}

/** Records that a generator is in use, once. */
export async function beginGeneratorUse(query: Query, now: number): Promise<void> {
  await query.query('insert into generator_use (since) values ($1) on conflict do nothing', [now])
}

export const generatorSince = async (query: Query): Promise<number | null> =>
  (await query.query<{ since: number }>('select since from generator_use')).rows[0]?.since ?? null

interface NewDraft {
  readonly id: string
  readonly songId: string
  readonly uid: string
  readonly callId: string
  readonly n: number
  readonly revision: number
  readonly request: DraftRequest
}

/** Of one song, in the order of their numbers. */
export async function insertDrafts(tx: Tx, drafts: readonly NewDraft[], now: number): Promise<void> {
  await tx.query(
    `insert into draft (id, song_id, uid, call_id, n, revision, state, request, due_at, created_at)
     select id, "songId", uid, "callId", n, revision, 'waiting', request, $2, $2
     from jsonb_to_recordset($1) as asked (id uuid, "songId" text, uid text, "callId" uuid, n integer, revision integer, request jsonb)`,
    [JSON.stringify(drafts), now],
  )
  await tx.query('update draft_song set last_n = $2 where song_id = $1', [
    drafts[0]?.songId,
    drafts.at(-1)?.n,
  ])
  announce(tx, drafts)
}

/** Those that the call asked for, by number; null where it asked for none. */
export async function draftsOfCall(query: Query, callId: string): Promise<Draft[] | null> {
  const { rows } = await query.query<Shown>(`select ${SHOWN} from draft where call_id = $1 order by n`, [
    callId,
  ])
  return rows.length === 0 ? null : rows.filter((one): one is Draft => one.state !== 'removed')
}

/** At most `most`, newest first, with numbers below `below`. */
export const listDrafts = async (
  query: Query,
  songId: string,
  { below, most }: { below: number; most: number },
): Promise<Draft[]> =>
  (
    await query.query<Draft>(
      `select ${SHOWN} from draft where song_id = $1 and state <> 'removed' and n < $2::bigint order by n desc limit $3`,
      [songId, below, most],
    )
  ).rows

export const findDraft = async (query: Query, id: string): Promise<Draft | null> =>
  (await query.query<Draft>(`select ${SHOWN} from draft where id = $1 and state <> 'removed'`, [id]))
    .rows[0] ?? null

/** The object of a ready draft. */
export interface DraftObject {
  readonly id: string
  readonly songId: string
  readonly n: number
  readonly path: string
  readonly format: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly durationMs: number
  readonly with: string | null
}

/** Null where there is no such draft, or where it is not ready. */
export const findDraftObject = async (query: Query, id: string): Promise<DraftObject | null> =>
  (
    await query.query<DraftObject>(
      `select id, song_id as "songId", n, path, format, size_bytes as "sizeBytes", sha256, duration_ms as "durationMs", made_with as "with"
       from draft where id = $1 and state = 'ready'`,
      [id],
    )
  ).rows[0] ?? null

/** Removed from the list: all else that is known of it goes, and its object. A task of the generator's runs to its end. */
const REMOVED = `state = 'removed', request = null, error = null, seed = null, made_with = null, path = null, format = null,
  size_bytes = null, sha256 = null, duration_ms = null, expected_at = null, ready_at = null, result = null`

/**
 * Of the drafts that a condition on `draft` chooses. `deleteAfter`: of their objects, something may still be put there before.
 * Answers how many were removed.
 */
async function remove(
  tx: Tx,
  { where, params, also = '' }: { where: string; params: readonly unknown[]; also?: string },
  deleteAfter: number,
): Promise<number> {
  const { rows } = await tx.query<Changed & { path: string | null }>(
    `select id, song_id as "songId", uid, path from draft where ${where} for update`,
    params,
  )
  if (rows.length === 0) return 0
  await tx.query(`update draft set ${REMOVED}${also} where id = any($1::uuid[])`, [rows.map(({ id }) => id)])
  await tx.query(`insert into audio (path, state, delete_after) select unnest($1::text[]), 'leaving', $2`, [
    rows.flatMap(({ path }) => path ?? []),
    new Date(deleteAfter),
  ])
  announce(tx, rows)
  return rows.length
}

/** False when there is no such draft; true also when it was removed before. */
export async function removeDraft(tx: Tx, id: string, deleteAfter: number): Promise<boolean> {
  const removed = await remove(tx, { where: `id = $1 and state <> 'removed'`, params: [id] }, deleteAfter)
  if (removed > 0) return true
  return (await tx.query('select from draft where id = $1 and song_id is not null', [id])).rowCount > 0
}

/** The song is closed or erased: nothing of it stays, and it gets no further drafts. */
export async function removeSong(tx: Tx, songId: string, deleteAfter: number): Promise<void> {
  // before the drafts: one that is being added holds this row
  const { rowCount } = await tx.query('delete from draft_song where song_id = $1', [songId])
  if (rowCount === 0) return
  const also = ', song_id = null, uid = null, call_id = null'
  await remove(tx, { where: 'song_id = $1', params: [songId], also }, deleteAfter)
}

/** Those that were ready before then, and that no version was delivered from. */
export const removeUnused = (tx: Tx, readyBefore: number, deleteAfter: number): Promise<number> =>
  remove(
    tx,
    {
      where: `state = 'ready' and used_at is null and ready_at < $1
        and not exists (select from audio where draft_id = draft.id and audio.state = 'placed')`,
      params: [readyBefore],
    },
    deleteAfter,
  )

/** What is left of drafts of closed songs, once the generator has ended their tasks. */
export const deleteRemoved = (query: Query, sentBefore: number) =>
  query.query('delete from draft where song_id is null and (not at_generator or sent_at < $1)', [sentBefore])

/** Those that the takes of this song were made from are used from now on. */
export const markUsed = (tx: Tx, songId: string, now: number) =>
  tx.query(
    `update draft set used_at = $2 where used_at is null and state = 'ready' and id in (
       select draft_id from audio where song_id = $1 and state = 'named' and draft_id is not null)`,
    [songId, now],
  )

/** Whether the job has anything to do. */
export const anyUnderWay = async (query: Query): Promise<boolean> =>
  (await query.query(`select from draft where ${UNDER_WAY} limit 1`)).rowCount > 0

/** The leases of this process go on, where its work on them does. */
export const renewLeases = (query: Query, ids: readonly string[], dueAt: number) =>
  query.query(
    `update draft set due_at = $2 where id = any($1::uuid[])
       and (state in ('sending', 'fetching') or state = 'removed' and task_id is null)`,
    [ids, dueAt],
  )

/** A draft that was sent, or is being sent. */
export interface SentDraft extends Omit<Task, 'state'> {
  readonly id: string
  readonly state: Task['state'] | 'sending' | 'fetching'
  readonly taskId: string | null
  readonly result: string | null
}

/** Leases those that something is to be done about now. */
export async function leaseSent(query: Query, now: number, dueAt: number): Promise<SentDraft[]> {
  const { rows } = await query.query<SentDraft>(
    `update draft set due_at = $2 where id in (
       select id from draft where due_at <= $1 and ${UNDER_WAY} and state <> 'waiting' for update skip locked)
     returning id, state, task_id as "taskId", result, unclear_looks as "unclearLooks", sent_at as "sentAt"`,
    [now, dueAt],
  )
  return rows
}

export interface WaitingDraft {
  readonly id: string
  readonly request: DraftRequest
}

/**
 * Leases the draft that is sent next and records that it is being sent, unless as many tasks are at the generator as may. It is
 * the one that has waited longest: while that is not due, none is.
 */
export async function leaseNext(
  tx: Tx,
  { now, dueAt, atOnce }: { now: number; dueAt: number; atOnce: number },
): Promise<WaitingDraft | null> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('drafts', 0))`)
  const { rows } = await tx.query<WaitingDraft>(
    `update draft set state = 'sending', at_generator = true, sent_at = $1, due_at = $2
     where id = (select id from draft where state = 'waiting' order by created_at, n limit 1 for update)
       and due_at <= $1 and state = 'waiting' and (select count(*) from draft where at_generator) < $3
     returning id, request`,
    [now, dueAt, atOnce],
  )
  return rows[0] ?? null
}

/** Waiting drafts without a time at which they are expected, or after it; how many wait before each, and how many the generator has. */
export const findUnexpected = async (
  query: Query,
  now: number,
): Promise<{ id: string; atGenerator: number; before: number }[]> =>
  (
    await query.query<{ id: string; atGenerator: number; before: number }>(
      `select id, before, (select count(*) from draft where at_generator) as "atGenerator" from (
         select id, expected_at, row_number() over (order by created_at, n) - 1 as before from draft where state = 'waiting'
       ) as waiting where expected_at is null or expected_at <= $1`,
      [now],
    )
  ).rows

type Columns = Readonly<
  Partial<{
    state: Draft['state'] | 'queued' | 'fetching'
    at_generator: boolean
    task_id: string
    unclear_looks: number
    due_at: number
    request: null
    error: string | null
    result: string | null
    seed: number | null
    made_with: string
    path: string
    format: string
    size_bytes: number
    sha256: string
    duration_ms: number
    expected_at: number | null
    ready_at: number
  }>
>

/**
 * Sets columns of a draft that is in one of these states; of one that was removed meanwhile only what concerns its task. Announces
 * it where the operator sees a difference. Returns the changed draft; null if it was in another state.
 */
export async function change(
  tx: Tx,
  id: string,
  from: readonly SentDraft['state'][] | readonly ['waiting'],
  columns: Columns,
): Promise<Shown | null> {
  const before = await tx.query<Shown & { uid: string; was: string }>(
    `select ${SHOWN}, uid, state as was from draft where id = $1 for update`,
    [id],
  )
  const [draft] = before.rows
  if (!draft || !(from as readonly string[]).includes(draft.was)) return null
  const isRemoved = draft.was === 'removed'
  const set = Object.entries(columns).filter(([name]) => !isRemoved || OF_TASK.has(name))
  if (set.length === 0) return draft
  const after = await tx.query<Shown>(
    `update draft set ${set.map(([name], i) => `${name} = $${i + 2}`).join(', ')} where id = $1 returning ${SHOWN}`,
    [id, ...set.map(([, value]) => value)],
  )
  const shown = after.rows[0] as Shown
  if (!isRemoved && Object.entries(shown).some(([name, value]) => draft[name as keyof Draft] !== value))
    announce(tx, [draft])
  return shown
}
const OF_TASK = new Set(['at_generator', 'task_id', 'unclear_looks', 'due_at'])

/** What a look at its task found. */
export const changeSeen = (tx: Tx, id: string, seen: Seen, dueAt: number): Promise<Shown | null> =>
  change(tx, id, ['queued', 'making', 'removed'], columnsOf(seen, dueAt))

function columnsOf(seen: Seen, due_at: number): Columns {
  if (seen.state === 'fetching') {
    const { file: result, seed, with: made_with } = seen
    return { state: 'fetching', at_generator: false, result, seed, made_with, due_at }
  }
  if ('error' in seen) return ended(seen.state, seen.error)
  return { ...(seen.state !== 'removed' && { state: seen.state }), unclear_looks: seen.unclearLooks, due_at }
}

/** Of a draft whose file is not fetched now: its task may be forgotten by then. */
export async function lookAgain(tx: Tx, id: string, dueAt: number): Promise<void> {
  await change(tx, id, ['fetching'], { state: 'making', result: null, unclear_looks: 0, due_at: dueAt })
}

/** Of a draft that nothing comes of. */
export const ended = (state: 'failed' | 'lost', error: string): Columns => ({
  state,
  error,
  at_generator: false,
  request: null,
  result: null,
  expected_at: null,
})
