import type { DeadLetter } from '@prelude/contracts'
import { AppError } from '../errors.ts'
import type { Database, Query } from '../database/port.ts'

const SHOWN = 50

type Outcome = { outcome: 'requested' | 'replayed' | 'discarded' }

/** The first dead letter of each parked key, oldest first. */
export async function listDeadLetters(db: Query): Promise<DeadLetter[]> {
  const { rows } = await db.query<DeadLetter>(
    `select id, topic, key, seq, type, error, (extract(epoch from at) * 1000)::bigint as at,
            replay_requested_at is not null as replaying, behind
     from (
       select *, row_number() over (partition by topic, key order by seq nulls first, id) as place,
              count(*) over (partition by topic, key) - 1 as behind
       from dead_letter where resolved_at is null) letter
     where place = 1 order by at, id limit ${SHOWN}`,
  )
  return rows
}

export async function listBlockedKeys(
  db: Query,
): Promise<{ key: string; topic: string; type: string; reason: string; at: number }[]> {
  const { rows } = await db.query<{ key: string; topic: string; type: string; reason: string; at: number }>(
    `select b.key, o.topic, o.type, b.reason, (extract(epoch from b.blocked_at) * 1000)::bigint as at
     from outbox_blocked b join outbox o on o.id = b.outbox_id order by b.blocked_at limit ${SHOWN}`,
  )
  return rows
}

interface Letter {
  readonly topic: string
  readonly key: string
  readonly seq: number | null
  readonly resolution: 'replayed' | 'discarded' | null
  readonly first: boolean
}

/** Errors: dead_letter_not_found. */
async function findLetter(db: Query, id: number): Promise<Letter> {
  const { rows } = await db.query<Letter>(
    `select topic, key, seq, resolution,
            id = (select id from dead_letter first where first.topic = letter.topic and first.key = letter.key
                  and first.resolved_at is null order by seq nulls first, id limit 1) as first
     from dead_letter letter where id = $1`,
    [id],
  )
  if (!rows[0]) throw new AppError('dead_letter_not_found')
  return rows[0]
}

/** Asked twice, or after it was handled, it is done once. Errors: dead_letter_not_found, dead_letter_settled. */
export async function requestReplay(db: Database, id: number): Promise<Outcome> {
  const { topic, key, resolution } = await findLetter(db, id)
  if (resolution === 'discarded') throw new AppError('dead_letter_settled')
  if (resolution === 'replayed') return { outcome: 'replayed' }
  await db.query(
    'update dead_letter set replay_requested_at = now() where topic = $1 and key = $2 and resolved_at is null',
    [topic, key],
  )
  return { outcome: 'requested' }
}

/** Answers how many keys will be handled again. */
export async function requestReplayOfAll(db: Query): Promise<number> {
  const { rows } = await db.query<{ keys: number }>(
    `with asked as (update dead_letter set replay_requested_at = now() where resolved_at is null returning topic, key)
     select count(distinct (topic, key)) as keys from asked`,
  )
  return rows[0]?.keys ?? 0
}

/**
 * Gives the first event of a parked key up, and any before it that never came: the mark is raised past it, and what
 * waited behind it is handled. Errors: dead_letter_not_found, dead_letter_settled, dead_letter_behind.
 */
export const discardLetter = (db: Database, id: number): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const { topic, key } = await findLetter(tx, id)
    // the lock under which letters of a key are handled
    await tx.query('select from inbox where topic = $1 and key = $2 for update', [topic, key])
    const { resolution, first, seq } = await findLetter(tx, id)
    if (resolution === 'replayed') throw new AppError('dead_letter_settled')
    if (resolution === 'discarded') return { outcome: 'discarded' }
    if (!first) throw new AppError('dead_letter_behind')
    await tx.query(`update dead_letter set resolved_at = now(), resolution = 'discarded' where id = $1`, [id])
    const { rowCount: behind } = await tx.query(
      'update dead_letter set replay_requested_at = now() where topic = $1 and key = $2 and resolved_at is null',
      [topic, key],
    )
    await tx.query(
      'update inbox set seq = greatest(seq, coalesce($3::bigint, seq)), parked = $4 where topic = $1 and key = $2',
      [topic, key, seq, behind > 0],
    )
    return { outcome: 'discarded' }
  })
