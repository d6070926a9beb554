import type { Topic } from '@prelude/contracts'
import { isTimeout, type Query } from '../database/index.ts'
import { Unavailable } from '../errors.ts'

/** A partition of a topic, and how many the topic has; a log that is read directly is one partition. */
export interface Partition {
  readonly topic: Topic
  readonly partition: number
  readonly partitions: number
}

/** From one position to another, past so many events. */
export interface Move {
  readonly from: number
  readonly to: number
  readonly taken: number
}

/** Another consumer has handled these events: the transaction is rolled back, and reading goes on at the cursor. */
export class CursorMoved extends Error {
  override readonly name = 'CursorMoved'
}

/** How far this service has handled a partition; 0 when it never read it. Errors: the partition count has changed. */
export async function readCursor(db: Query, { topic, partition, partitions }: Partition): Promise<number> {
  const { rows } = await db.query<{ position: number; partitions: number }>(
    `with begun as (
       insert into cursor (topic, partition, partitions, position) values ($1, $2, $3, 0) on conflict do nothing
     )
     select position, partitions from cursor where topic = $1 and partition = $2`,
    [topic, partition, partitions],
  )
  const [row] = rows
  if (row && row.partitions !== partitions)
    throw new Error(
      `${topic} has ${partitions} partitions, but this service has read it with ${row.partitions}: see "Changing the number of partitions" in docs/operations/repairs.md`,
    )
  return row?.position ?? 0
}

/**
 * Moves the cursor in the transaction of the effects, and answers which of these keys are parked. Errors: CursorMoved when it is
 * not at `from` any more; Unavailable when its lock was awaited in vain, which is no fault of the events.
 */
export async function moveCursor(
  db: Query,
  { topic, partition }: Partition,
  { from, to, taken }: Move,
  keys: readonly string[] = [],
): Promise<readonly string[]> {
  const sql = 'select move_cursor($1, $2, $3, $4, $5, $6) as parked'
  const moving = db.query<{ parked: string[] | null }>(sql, [topic, partition, from, to, taken, keys])
  const { rows } = await moving.catch((error: unknown) => {
    throw isTimeout(error) ? new Unavailable('the cursor', error) : error
  })
  const parked = rows[0]?.parked
  if (!parked) throw new CursorMoved(`another consumer has moved the cursor of ${topic} from ${from}`)
  return parked
}
