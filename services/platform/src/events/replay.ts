import type { Topic } from '@prelude/contracts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/index.ts'
import { reasonOf } from '../errors.ts'
import type { Logger } from '../observability/index.ts'
import type { Consumer } from './consumer.ts'
import { lockPartitionOf, UNKNOWN } from './dead-letters.ts'
import { readEnvelope } from './envelope.ts'
import { isEvent } from './port.ts'
import { isOutage, LONG_STATEMENT_TIMEOUT_MS } from './retry.ts'

/**
 * Handles dead letters again whose replay was requested, and those that waited for a version with a handler, as this one has:
 * those of a key in order, each in a transaction of its own. A key flows again when it has no open dead letter.
 */
export const replayJob = (deps: { db: Database; consumer: Consumer; clock: Clock; logger: Logger }) => ({
  name: 'replay-dead-letters',
  everyMs: 2_000,
  run: async (signal: AbortSignal): Promise<void> => {
    const { rows } = await deps.db.query<{ topic: Topic; key: string }>(
      `select distinct topic, key from dead_letter where resolved_at is null and (replay_requested_at is not null
         or (type, unknown_version) in (select * from unnest($1::text[], $2::integer[])))`,
      [deps.consumer.handled.map(({ type }) => type), deps.consumer.handled.map(({ version }) => version)],
    )
    for (const { topic, key } of rows) while (!signal.aborted && (await replayNext(deps, topic, key)));
  },
})

/** An event behind a parked key was never tried: it may need as long as one that the consumer gave its last try. */
const LIMITS = { statementTimeoutMs: LONG_STATEMENT_TIMEOUT_MS }

/** This version has no handler: the first version that has one replays it without a request. */
const WAIT_FOR_UPDATE = `update dead_letter set replay_requested_at = null,
    unknown_version = case id when $3 then $4::integer end, error = case id when $3 then $5 else error end
  where topic = $1 and key = $2 and resolved_at is null`

const UNPARK = 'delete from parked_key where topic = $1 and key = $2'

/** The key goes on also when this process ends here, and with letters that nobody requested. */
const REQUEST_NEXT = `update dead_letter set replay_requested_at = to_timestamp($3 / 1000.0)
  where id = (select min(id) from dead_letter where topic = $1 and key = $2 and resolved_at is null)`

/** Answers whether there may be more. Where a dependency is down, the request stays for the next run. */
async function replayNext(
  { db, consumer, clock, logger }: Parameters<typeof replayJob>[0],
  topic: Topic,
  key: string,
): Promise<boolean> {
  let tried: number | undefined
  try {
    return await db.transaction(async (tx) => {
      await lockPartitionOf(tx, topic, key)
      const { rows } = await tx.query<{ id: number; position: number | null; value: string }>(
        `select id, position, value from dead_letter where topic = $1 and key = $2 and resolved_at is null order by id limit 1`,
        [topic, key],
      )
      const [letter] = rows
      if (!letter) {
        await tx.query(UNPARK, [topic, key])
        return false
      }
      tried = letter.id
      const message = readEnvelope(topic, key, letter.value)
      // one without a position came unsigned or unreadable, and may well look like an event
      if (letter.position === null || !isEvent(message)) throw new Error('not an event; discard it')
      if (!(await consumer.handle(tx, message))) {
        await tx.query(WAIT_FOR_UPDATE, [topic, key, letter.id, message.version, UNKNOWN])
        return false
      }
      const resolve = `update dead_letter set resolved_at = to_timestamp($2 / 1000.0), resolution = 'replayed' where id = $1`
      await tx.query(resolve, [letter.id, clock.now()])
      const { rowCount: more } = await tx.query(REQUEST_NEXT, [topic, key, clock.now()])
      if (more === 0) await tx.query(UNPARK, [topic, key])
      return more > 0
    }, LIMITS)
  } catch (error) {
    if (isOutage(error) || tried === undefined) {
      logger.warn({ topic, err: error }, 'a replayed event waits for a dependency')
      return false
    }
    logger.error({ topic, err: error }, 'a replayed event failed again')
    const { rowCount } = await db.query(
      `update dead_letter set replay_requested_at = null, error = case id when $3 then $4 else error end,
         unknown_version = case id when $3 then null else unknown_version end
       where topic = $1 and key = $2 and resolved_at is null
         and exists (select from dead_letter where id = $3 and resolved_at is null)`,
      [topic, key, tried, reasonOf(error as Error)],
    )
    return rowCount === 0 // the commit succeeded, its answer was lost
  }
}
