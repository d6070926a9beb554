import type { DeadLetter, EventEnvelope, Topic } from '@prelude/contracts'
import type { Database, Query, Tx } from '../database/index.ts'
import { AppError, reasonOf } from '../errors.ts'
import { type Move, moveCursor, type Partition } from './cursor.ts'
import { isEvent, type Unreadable } from './port.ts'

/**
 * Events that a service could not handle. The first one parks its key; later events of the key join it. One for which the
 * running version of the service has no handler waits for a version that has one (replay.ts). All changes are made with the
 * cursor of the topic or of the key's partition locked, as by the consumer, so that no event comes in between.
 */

const SHOWN = 50

type Outcome = { outcome: 'requested' | 'replayed' | 'discarded' }

export const lockTopic = async (tx: Tx, topic: string): Promise<void> => {
  await tx.query('select from cursor where topic = $1 order by partition for update', [topic])
}

/** The cursor of the partition that holds this key. A handler may take long: other partitions go on. */
export const lockPartitionOf = async (tx: Tx, topic: string, key: string): Promise<void> => {
  await tx.query(
    `select from cursor where topic = $1 and partition = crc32(convert_to($2, 'UTF8')) % partitions for update`,
    [topic, key],
  )
}

/**
 * Stores a message that cannot be handled as a dead letter, parks its key, and moves the cursor past it if it has a position.
 * Answers false when the message is known already, from an earlier delivery. Errors: CursorMoved.
 */
export async function park(
  tx: Tx,
  partition: Partition,
  message: EventEnvelope | Unreadable,
  error: Error,
  move?: Move,
): Promise<boolean> {
  const { topic } = partition
  if (move) await moveCursor(tx, partition, move)
  else await lockTopic(tx, topic)
  const isNew = await insertDeadLetter(tx, topic, message, reasonOf(error))
  if (isNew) await parkKey(tx, topic, message.key)
  return isNew
}

/** Lets an event wait for a version of the service that has a handler for its type and version. */
export async function parkUnknown(tx: Tx, topic: Topic, event: EventEnvelope): Promise<void> {
  if (await insertDeadLetter(tx, topic, event, UNKNOWN, event.version)) await parkKey(tx, topic, event.key)
}

export const UNKNOWN = 'this version of the service has no handler for this type and version of event'

const parkKey = async (tx: Tx, topic: Topic, key: string): Promise<void> => {
  await tx.query('insert into parked_key (topic, key) values ($1, $2) on conflict do nothing', [topic, key])
}

/** Answers false when the message is known already, from an earlier delivery. */
export async function insertDeadLetter(
  tx: Tx,
  topic: Topic,
  message: EventEnvelope | Unreadable,
  error: string,
  unknownVersion: number | null = null,
): Promise<boolean> {
  const [position, type, value] = isEvent(message)
    ? [message.position, message.type, JSON.stringify(message)]
    : [null, null, message.value]
  const { rowCount } = await tx.query(
    `insert into dead_letter (topic, key, position, type, value, error, unknown_version) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing`,
    [topic, message.key, position, type, value, error, unknownVersion],
  )
  return rowCount === 1
}

/** The first dead letter of each parked key, oldest first, at most 50; those that wait for an update come last. */
export async function listDeadLetters(db: Query): Promise<DeadLetter[]> {
  const { rows } = await db.query<DeadLetter>(
    `select id, topic, key, position, type, error, (extract(epoch from at) * 1000)::bigint as at,
            replay_requested_at is not null as replaying, unknown_version is not null as newer, behind
     from (
       select *, row_number() over (partition by topic, key order by id) as place,
              count(*) over (partition by topic, key) - 1 as behind
       from dead_letter where resolved_at is null) letter
     where place = 1 order by newer, at, id limit ${SHOWN}`,
  )
  return rows
}

interface DeadLetterRow {
  readonly topic: string
  readonly key: string
  readonly resolution: 'replayed' | 'discarded' | null
  readonly first: boolean
}

/** Errors: dead_letter_not_found. */
async function findDeadLetter(db: Query, id: number): Promise<DeadLetterRow> {
  const { rows } = await db.query<DeadLetterRow>(
    `select topic, key, resolution,
            id = (select min(id) from dead_letter first where first.topic = letter.topic and first.key = letter.key
                  and first.resolved_at is null) as first
     from dead_letter letter where id = $1`,
    [id],
  )
  if (!rows[0]) throw new AppError('dead_letter_not_found')
  return rows[0]
}

const REQUEST_REPLAY =
  'update dead_letter set replay_requested_at = to_timestamp($3 / 1000.0) where topic = $1 and key = $2 and resolved_at is null'

/** Requested again, or after it was handled, it changes nothing. Errors: dead_letter_not_found, dead_letter_settled. */
export async function requestReplay(db: Database, id: number, now: number): Promise<Outcome> {
  const { topic, key, resolution } = await findDeadLetter(db, id)
  if (resolution === 'discarded') throw new AppError('dead_letter_settled')
  if (resolution === 'replayed') return { outcome: 'replayed' }
  await db.query(REQUEST_REPLAY, [topic, key, now])
  return { outcome: 'requested' }
}

/** Answers how many keys will be handled again. */
export async function requestReplayOfAll(db: Query, now: number): Promise<number> {
  const { rows } = await db.query<{ keys: number }>(
    `with asked as (update dead_letter set replay_requested_at = to_timestamp($1 / 1000.0)
                    where resolved_at is null returning topic, key)
     select count(distinct (topic, key)) as keys from asked`,
    [now],
  )
  return rows[0]?.keys ?? 0
}

/**
 * Gives the first event of a parked key up; the events behind it are handled. Errors: dead_letter_not_found,
 * dead_letter_settled, dead_letter_behind.
 */
export const discardDeadLetter = (db: Database, id: number, now: number): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const { topic, key } = await findDeadLetter(tx, id)
    await lockTopic(tx, topic)
    const { resolution, first } = await findDeadLetter(tx, id)
    if (resolution === 'replayed') throw new AppError('dead_letter_settled')
    if (resolution === 'discarded') return { outcome: 'discarded' }
    if (!first) throw new AppError('dead_letter_behind')
    const resolve = `update dead_letter set resolved_at = to_timestamp($2 / 1000.0), resolution = 'discarded' where id = $1`
    await tx.query(resolve, [id, now])
    const { rowCount: behind } = await tx.query(REQUEST_REPLAY, [topic, key, now])
    if (behind === 0) await tx.query('delete from parked_key where topic = $1 and key = $2', [topic, key])
    return { outcome: 'discarded' }
  })

interface ParkedCounts {
  readonly parkedKeys: Readonly<Record<string, number>>
  readonly deadLetters: Readonly<Record<string, number>>
}

/** An update takes less: until then what waits for it needs nobody. */
const UPDATED_WITHIN_MS = 60 * 60_000

/** Parked keys and open dead letters, by topic; without those that wait for an update for less than an hour. */
export async function countParked(db: Query, now: number): Promise<ParkedCounts> {
  const { rows } = await db.query<{
    parked: ParkedCounts['parkedKeys'] | null
    dead: ParkedCounts['deadLetters'] | null
  }>(
    `with updating as (
       select topic, key from dead_letter
       where resolved_at is null and unknown_version is not null and at > to_timestamp($1 / 1000.0))
     select (select json_object_agg(topic, n) from
              (select topic, count(*) as n from parked_key where (topic, key) not in (select topic, key from updating)
               group by topic) t) as parked,
            (select json_object_agg(topic, n) from
              (select topic, count(*) as n from dead_letter
               where resolved_at is null and (topic, key) not in (select topic, key from updating) group by topic) t) as dead`,
    [now - UPDATED_WITHIN_MS],
  )
  return { parkedKeys: rows[0]?.parked ?? {}, deadLetters: rows[0]?.dead ?? {} }
}
