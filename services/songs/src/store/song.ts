import type { Stage } from '@prelude/contracts'
import type { Query, Tx } from '@prelude/platform'
import type { SongState } from '../domain/song.ts'
import { TAKES, takesOf } from './take.ts'

/** A row of the table. */
export interface SongRecord extends SongState {
  readonly id: string
  readonly uid: string
  readonly username: string
  readonly email: string
  readonly revision: number
  readonly createdAt: number
}

export type NewSong = Pick<SongRecord, 'id' | 'uid' | 'username' | 'email' | 'lyrics' | 'style' | 'createdAt'>

const OWN_COLUMNS = `id, uid, username, email, lyrics, style, title, status, charge, refund_held as "refundHeld",
  refund_reason as "refundReason", revision,
  created_at as "createdAt", updated_at as "updatedAt", promised_at as "promisedAt", late_at as "lateAt",
  started_at as "startedAt", delivered_at as "deliveredAt", changes, changes_asked as "changesAsked",
  accepted_at as "acceptedAt", closed_at as "closedAt", closed_reason as "closedReason", corrected_at as "correctedAt",
  note, timeline`
const COLUMNS = `${OWN_COLUMNS}, case when status = 'ready' then ${TAKES} else '[]' end as takes`

/**
 * Answers the inserted songs; one whose id exists already, or is given twice, is left as it is. Not inserted is a song of a
 * person of whose requests `mostWaiting` wait for credits, when that is given. While one waits, the undecided ones are about
 * to wait as well: there are too few credits for another. Since the oldest are charged first, the waiting ones are among the
 * newest: they are counted there, without an index that every charge would have to update.
 */
export async function insertSongs(
  tx: Tx,
  songs: readonly (NewSong & { readonly mostWaiting: number | undefined })[],
): Promise<SongRecord[]> {
  const { rows } = await tx.query<SongRecord>(
    `insert into song (id, uid, username, email, lyrics, style, created_at)
     select id, uid, username, email, lyrics, style, "createdAt" from json_to_recordset($1) as new
       (id uuid, uid text, username text, email text, lyrics text, style text, "createdAt" bigint, "mostWaiting" integer)
     where "mostWaiting" is null or not exists (
       select from (
         select charge from song where song.uid = new.uid order by created_at desc, id desc limit "mostWaiting" * 2
       ) newest
       where charge in ('declined', 'deciding')
       having bool_or(charge = 'declined') and count(*) >= "mostWaiting")
     on conflict (id) do nothing returning ${COLUMNS}`,
    [JSON.stringify(songs)],
  )
  return rows
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
  const { rows } = await tx.query<Omit<SongRecord, 'takes'>>(
    `select ${OWN_COLUMNS} from song where id = any($1::uuid[]) order by id for update`,
    [ids],
  )
  // by a statement of their own: that above does not see takes that were added while it waited for a lock
  const ready = rows.filter(({ status }) => status === 'ready').map(({ id }) => id)
  const takes = ready.length === 0 ? new Map<string, SongRecord['takes']>() : await takesOf(tx, ready)
  return new Map(rows.map((song) => [song.id, { ...song, takes: takes.get(song.id) ?? [] }]))
}

/** All but the texts and the takes, which have statements of their own. */
export async function saveSongs(tx: Tx, songs: readonly SongRecord[]): Promise<void> {
  const changes = songs.map(({ lyrics: _lyrics, style: _style, takes: _takes, ...change }) => change)
  await tx.query(
    `update song set status = change.status, charge = change.charge, refund_held = change."refundHeld",
       refund_reason = change."refundReason", revision = change.revision, updated_at = change."updatedAt", promised_at = change."promisedAt",
       late_at = change."lateAt", started_at = change."startedAt", delivered_at = change."deliveredAt",
       changes = change.changes, changes_asked = change."changesAsked", accepted_at = change."acceptedAt",
       closed_at = change."closedAt", closed_reason = change."closedReason", corrected_at = change."correctedAt",
       note = change.note, title = change.title, timeline = change.timeline
     from json_to_recordset($1) as change (id uuid, status text, charge text, "refundHeld" boolean, "refundReason" text, revision integer,
       "updatedAt" bigint, "promisedAt" bigint, "lateAt" bigint, "startedAt" bigint, "deliveredAt" bigint, changes jsonb,
       "changesAsked" integer, "acceptedAt" bigint, "closedAt" bigint, "closedReason" text, "correctedAt" bigint, note text,
       title text, timeline jsonb)
     where song.id = any($2::uuid[]) and song.id = change.id`,
    [JSON.stringify(changes), songs.map(({ id }) => id)],
  )
}

export async function saveTexts(tx: Tx, { id, lyrics, style }: SongRecord): Promise<void> {
  await tx.query('update song set lyrics = $2, style = $3 where id = $1', [id, lyrics, style])
}

/** Charged songs that are not delivered: those that come before one which is charged now. */
export async function countCharged(db: Query): Promise<number> {
  const { rows } = await db.query<{ songs: number }>(
    `select count(*) as songs from song where status = 'pending' and promised_at is not null and charge = 'charged'`,
  )
  return rows[0]?.songs ?? 0
}

/** Songs whose promise passed and nobody was told yet. */
export async function findOverdue(db: Query, now: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from song where status = 'pending' and promised_at <= $1 and late_at is null
       and charge in ('charged', 'gift') order by promised_at limit $2`,
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

interface Order {
  /** The time that orders the list, in SQL and of a row. */
  by: string
  timeOf: (song: SongRecord) => number
  direction: 'asc' | 'desc'
}

const NEWEST: Order = { by: 'created_at', timeOf: ({ createdAt }) => createdAt, direction: 'desc' }
const BY_PROMISE: Order = { by: 'promised_at', timeOf: ({ promisedAt }) => promisedAt ?? 0, direction: 'asc' }

const PROMISED = `status = 'pending' and promised_at is not null and charge in ('charged', 'gift')`

/** The lists of the operator's desk; each has an index that begins with its time. */
const STAGES: Record<Stage, Order & { where: string }> = {
  todo: { ...BY_PROMISE, where: `${PROMISED} and started_at is null` },
  studio: { ...BY_PROMISE, where: `${PROMISED} and started_at is not null` },
  late: { ...BY_PROMISE, where: `${PROMISED} and late_at is not null` },
  changes: {
    where: `status = 'ready' and changes ->> 'state' = 'asked'`,
    by: `(changes ->> 'askedAt')::bigint`,
    timeOf: ({ changes }) => changes?.askedAt ?? 0,
    direction: 'asc',
  },
  delivered: {
    where: `status = 'ready'`,
    by: 'delivered_at',
    timeOf: ({ deliveredAt }) => deliveredAt ?? 0,
    direction: 'desc',
  },
}

/** The place of a song in its list. */
export const positionIn = (stage: Stage | undefined, song: SongRecord): readonly [at: number, id: string] => [
  (stage ? STAGES[stage] : NEWEST).timeOf(song),
  song.id,
]

/** Of which songs, and of which part of the list: `limit` songs after the one at `after`, in the order of the stage or newest first. */
interface Wanted {
  uid: string | undefined
  /** One literal phrase in lyrics or style, in any case. */
  q: string | undefined
  status: string | undefined
  stage: Stage | undefined
  after: readonly [at: number, id: string] | null
  limit: number
}

export async function listSongs(
  db: Query,
  { uid, q, status, stage, after, limit }: Wanted,
): Promise<SongRecord[]> {
  const params: unknown[] = []
  const bind = (value: unknown): string => `$${params.push(value)}`
  const { by, direction } = stage ? STAGES[stage] : NEWEST
  const where = [stage ? STAGES[stage].where : 'true']
  if (uid !== undefined) where.push(`uid = ${bind(uid)}`)
  if (status === 'closed') where.push(`status in ('cancelled', 'declined')`)
  else if (status !== undefined) where.push(`status = ${bind(status)}`)
  if (q !== undefined) {
    const phrase = folded(`${bind(q)}::text`)
    where.push(
      `(position(${phrase} in ${folded('lyrics')}) > 0 or position(${phrase} in ${folded('style')}) > 0)`,
    )
  }
  if (after !== null) {
    const comes = direction === 'desc' ? '<' : '>'
    where.push(`(${by}, id) ${comes} (${bind(after[0])}::bigint, ${bind(after[1])}::uuid)`)
  }
  const { rows } = await db.query<SongRecord>(
    `select ${COLUMNS} from song where ${where.join(' and ')} order by ${by} ${direction}, id ${direction}
     limit ${bind(limit)}`,
    params,
  )
  return rows
}

/** The collation is named because the server's own may know the case of ASCII letters only. */
const folded = (text: string): string => `casefold(${text} collate pg_unicode_fast)`

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
