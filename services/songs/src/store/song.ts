import type { Brief, Changes } from '@prelude/contracts'
import type { Query, Tx } from '@prelude/platform'
import type { SongState } from '../domain/song.ts'
import { CERTIFICATE_ID } from './certificate.ts'
import { TAKES, takesOf } from './take.ts'

/** A row of the table. */
export interface SongRecord extends SongState {
  readonly id: string
  readonly uid: string
  readonly username: string
  readonly email: string
  readonly brief: Brief | null
  readonly priceCents: number
  /** What the form of the request said. */
  readonly readyBy: number | null
  readonly revision: number
  readonly createdAt: number
  /** Of the newest takes; null until the song is ready. */
  readonly certificateId: string | null
}

type NewSong = Pick<
  SongRecord,
  'id' | 'uid' | 'username' | 'email' | 'lyrics' | 'style' | 'brief' | 'priceCents' | 'readyBy' | 'createdAt'
>

const OWN_COLUMNS = `id, uid, username, email, lyrics, style, brief, price_cents as "priceCents", ready_by as "readyBy", title, favourite, preferred, archived, status, charge,
  refund_reason as "refundReason", revision, created_at as "createdAt", updated_at as "updatedAt", promised_at as "promisedAt", late_at as "lateAt",
  started_at as "startedAt", delivered_at as "deliveredAt", changes, changes_asked as "changesAsked",
  accepted_at as "acceptedAt", closed_at as "closedAt", closed_reason as "closedReason", corrected_at as "correctedAt",
  note, call_ids as "callIds", timeline, messages`
/** Of a whole record. */
export const COLUMNS = `${OWN_COLUMNS}, case when status = 'ready' then ${TAKES} else '[]' end as takes,
  case when status = 'ready' then ${CERTIFICATE_ID} end as "certificateId"`

export type RequestedSong = NewSong & { readonly mostWaiting: number | undefined }

/**
 * Answers the inserted songs; one whose id exists already, or is given twice, is left as it is. Where `mostWaiting` is given, a
 * song is skipped when its person would have more requests than that which are not charged: `declined`, or still `deciding`, which
 * may all be declined. Only the newest 2 × `mostWaiting` songs are read: the oldest
 * are charged first, so the waiting ones are always among them.
 */
export async function insertSongs(tx: Tx, songs: readonly RequestedSong[]): Promise<SongRecord[]> {
  const [, { rows }] = await Promise.all([
    lockRequests(tx, songs),
    tx.query<SongRecord>(
      `insert into song (id, uid, username, email, lyrics, style, brief, price_cents, ready_by, created_at)
       select id, uid, username, email, lyrics, style, brief, "priceCents", "readyBy", "createdAt" from (
         select new.*, dense_rank() over (partition by uid order by id) as nth from json_to_recordset($1) as new
           (id uuid, uid text, username text, email text, lyrics text, style text, brief jsonb, "priceCents" integer,
            "readyBy" bigint, "createdAt" bigint, "mostWaiting" integer)
         where not exists (select from song where song.id = new.id)
       ) new
       where "mostWaiting" is null or not exists (
         select from (
           select charge from song where song.uid = new.uid and status not in ('cancelled', 'declined')
           order by created_at desc, id desc limit "mostWaiting" * 2
         ) newest
         where charge in ('declined', 'deciding')
         having count(*) + nth > "mostWaiting")
       on conflict (id) do nothing returning ${COLUMNS}`,
      [JSON.stringify(songs)],
    ),
  ])
  return rows
}

/** Requests of one person that are counted are inserted one transaction after the other: else none counts the others'. */
async function lockRequests(tx: Tx, songs: readonly RequestedSong[]): Promise<void> {
  const counted = songs.filter(({ mostWaiting }) => mostWaiting !== undefined).map(({ uid }) => uid)
  if (counted.length === 0) return
  // in one order, so that two batches do not wait for each other
  await tx.query(
    `select pg_advisory_xact_lock(key) from (
       select distinct hashtextextended('requests:' || uid, 0) as key from unnest($1::text[]) as uid order by key) keys`,
    [counted],
  )
}

export async function findSongs(db: Query, ids: readonly string[]): Promise<SongRecord[]> {
  const { rows } = await db.query<SongRecord>(`select ${COLUMNS} from song where id = any($1::uuid[])`, [ids])
  return rows
}

export async function findSong(db: Query, id: string): Promise<SongRecord | null> {
  const { rows } = await db.query<SongRecord>(`select ${COLUMNS} from song where id = $1`, [id])
  return rows[0] ?? null
}

/** Locked until the transaction ends: changes of one song come one after the other. By id; in the order of ids. */
export async function lockSongs(tx: Tx, ids: readonly string[]): Promise<Map<string, SongRecord>> {
  const { rows } = await tx.query<Omit<SongRecord, 'takes' | 'certificateId'>>(
    `select ${OWN_COLUMNS} from song where id = any($1::uuid[]) order by id for update`,
    [ids],
  )
  // by a statement of their own: that above does not see takes that were added while it waited for a lock
  const ready = rows.filter(({ status }) => status === 'ready').map(({ id }) => id)
  const recordings = ready.length === 0 ? null : await takesOf(tx, ready)
  const none = { takes: [], certificateId: null }
  return new Map(rows.map((song) => [song.id, { ...song, ...(recordings?.get(song.id) ?? none) }]))
}

/** All but the texts and the takes, which have statements of their own. A hold (`refund_held`) of an earlier version ends. */
export function saveSongs(tx: Tx, songs: readonly SongRecord[]): void {
  const changes = songs.map(
    ({ lyrics: _lyrics, style: _style, title: _title, takes: _takes, ...change }) => change,
  )
  tx.execute(
    `update song set status = change.status, charge = change.charge, refund_held = false,
       refund_reason = change."refundReason", revision = change.revision, updated_at = change."updatedAt", promised_at = change."promisedAt",
       late_at = change."lateAt", started_at = change."startedAt", delivered_at = change."deliveredAt",
       changes = change.changes, changes_asked = change."changesAsked", accepted_at = change."acceptedAt",
       closed_at = change."closedAt", closed_reason = change."closedReason", corrected_at = change."correctedAt",
       note = change.note, favourite = change.favourite, preferred = change.preferred, archived = change.archived, call_ids = change."callIds",
       timeline = change.timeline, messages = change.messages
     from json_to_recordset($1) as change (id uuid, status text, charge text, "refundReason" text, revision integer,
       "updatedAt" bigint, "promisedAt" bigint, "lateAt" bigint, "startedAt" bigint, "deliveredAt" bigint, changes jsonb,
       "changesAsked" integer, "acceptedAt" bigint, "closedAt" bigint, "closedReason" text, "correctedAt" bigint, note text,
       favourite boolean, preferred smallint, archived boolean, "callIds" uuid[], timeline jsonb, messages jsonb)
     where song.id = any($2::uuid[]) and song.id = change.id`,
    [JSON.stringify(changes), songs.map(({ id }) => id)],
  )
}

export function saveTexts(tx: Tx, { id, lyrics, style, title }: SongRecord): void {
  tx.execute('update song set lyrics = $2, style = $3, title = $4 where id = $1', [id, lyrics, style, title])
}

/** Keeps the round of changes that a new one replaces. */
export function keepEarlierChanges(tx: Tx, { id, changes }: SongRecord): void {
  if (changes === null) return
  tx.execute(
    'update song set earlier_changes = earlier_changes || jsonb_build_array($2::jsonb) where id = $1',
    [id, JSON.stringify(changes)],
  )
}

/** The rounds of changes before the last one, oldest first; null for a song that is not there. */
export async function findEarlierChanges(db: Query, id: string): Promise<Changes[] | null> {
  const { rows } = await db.query<{ earlier: Changes[] }>(
    'select earlier_changes as earlier from song where id = $1',
    [id],
  )
  return rows[0]?.earlier ?? null
}

/** Added to the time of unpaid songs: they sort after every promise, the oldest first (the year 33658). */
export const UNPAID_AFTER_MS = 1_000_000_000_000_000

/** What orders pending songs: their promises, then what is not paid for. As in the index song_to_do. */
export const DUE = `(case when charge in ('charged', 'gift') then promised_at else created_at + ${UNPAID_AFTER_MS} end)`

/** Pending songs that have a promise, charged or gifts. */
export const PROMISED = `status = 'pending' and ${DUE} < ${UNPAID_AFTER_MS}`

/** Charged songs that are not delivered, at most so many: those that come before one which is charged now. */
export async function countCharged(db: Query, most: number): Promise<number> {
  const { rows } = await db.query<{ songs: number }>(
    `select count(*) as songs from (select from song where status = 'pending' and charge = 'charged' limit $1) charged`,
    [most],
  )
  return rows[0]?.songs ?? 0
}

/** Songs whose promise has passed and that are not marked late yet. */
export async function findOverdue(db: Query, now: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from song where status = 'pending' and ${DUE} <= $1 and late_at is null order by ${DUE} limit $2`,
    [now, limit],
  )
  return rows.map(({ id }) => id)
}

/** Songs that were delivered by then, are not accepted, and for which no changes are asked for. */
export async function findUnaccepted(db: Query, deliveredBy: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from song where status = 'ready' and accepted_at is null and delivered_at <= $1
       and (changes is null or changes ->> 'state' <> 'asked') order by delivered_at limit $2`,
    [deliveredBy, limit],
  )
  return rows.map(({ id }) => id)
}

/** A person's songs: ready, charged or being decided, and those that wait for credits or were given back. */
export async function countSongs(
  db: Query,
  uid: string,
): Promise<{ ready: number; cooking: number; waiting: number }> {
  const { rows } = await db.query<{ ready: number; cooking: number; waiting: number }>(
    `select count(*) filter (where status = 'ready') as ready,
            count(*) filter (where status = 'pending' and charge in ('charged', 'deciding', 'gift')) as cooking,
            count(*) filter (where status = 'pending' and charge not in ('charged', 'deciding', 'gift')) as waiting
     from song where uid = $1`,
    [uid],
  )
  return rows[0] ?? { ready: 0, cooking: 0, waiting: 0 }
}
