import pg from 'pg'
import type { Topic } from '@prelude/contracts'
import type { Logger } from '../observability/logger.ts'
import type { BusMessage, EventBus, Subscription } from './port.ts'
import { connectionOptions } from '../database/database.ts'
import { signal } from '../wait.ts'
import type { Acknowledgements } from './acknowledgements.ts'
import type { Stretch, TailOfLog } from './tail-of-log.ts'

export const BUS_SCHEMA = 'bus'

const BATCH = 500
/** A notice wakes a reader at once; this is for one that was lost. */
const POLL_MS = 5_000
const LOCK_EVERY_MS = 1_000
const RETRY_MS = 500

export type SubscribeOptions = Parameters<EventBus['subscribe']>[0]

/** Members of groups that read here, told of a topic, or of all when none is named. */
export interface Reader {
  /** There is more in this process's tail of the log. */
  wake(topic?: string): void
  /** There may be more in the log that is not in the tail. */
  lookAt(topic?: string): void
}

export interface Surroundings {
  readonly url: string
  readonly logger: Logger
  readonly readers: Set<Reader>
  readonly tail: TailOfLog
  readonly places: Acknowledgements
  readonly lag: Subscription['lag']
}

/** How a reader waits for a topic, and when it looks into the log itself again; 0: at once. */
interface Waiting {
  readonly signal: ReturnType<typeof signal>
  looksAt: number
}

export async function subscribe(around: Surroundings, options: SubscribeOptions): Promise<Subscription> {
  const waiting = Object.fromEntries(
    options.topics.map((topic) => [topic, { signal: signal(), looksAt: 0 }]),
  ) as Record<Topic, Waiting>
  const concerned = (topic?: string): Waiting[] =>
    Object.entries(waiting).flatMap(([name, one]) => (topic === undefined || topic === name ? [one] : []))
  const reader: Reader = {
    wake: (topic) => {
      for (const one of concerned(topic)) one.signal.wake()
    },
    lookAt: (topic) => {
      for (const one of concerned(topic)) one.looksAt = 0
      reader.wake(topic)
    },
  }
  around.readers.add(reader)
  let stopped = false
  let lastAttemptAt = Date.now()
  const attempted = (): void => {
    lastAttemptAt = Date.now()
  }
  const isStopped = (): boolean => stopped

  const running = (async () => {
    while (!stopped) {
      try {
        await consume(around, options, waiting, isStopped, attempted)
      } catch (error) {
        if (stopped) return
        around.logger.warn(
          { group: options.group, err: (error as Error).message },
          'consumer interrupted, trying again',
        )
        attempted()
        await signal().for(RETRY_MS)
      }
    }
  })()

  return {
    lag: around.lag,
    lastAttemptAt: () => lastAttemptAt,
    stop: async () => {
      stopped = true
      around.readers.delete(reader)
      reader.wake()
      await running
    },
  }
}

/** Holds the group's lock on a connection of its own, reads from each topic's place, and moves it on when the batch is handled. */
async function consume(
  { url, tail, places }: Surroundings,
  { group, topics, handle }: SubscribeOptions,
  waiting: Record<Topic, Waiting>,
  isStopped: () => boolean,
  attempted: () => void,
): Promise<void> {
  // the log is read in the order of its index; on a young table the planner would read all that waits, and sort it
  const inOrder = { enable_sort: 'off', enable_bitmapscan: 'off', enable_seqscan: 'off' } as const
  const connection = new pg.Client({
    ...connectionOptions(url, BUS_SCHEMA, inOrder),
    query_timeout: 10_000,
  })
  let lost: unknown
  const lose = (error: unknown): void => {
    lost ??= error
    for (const topic of topics) waiting[topic].signal.wake()
  }
  connection.on('error', lose)
  await connection.connect()
  try {
    while (!isStopped()) {
      attempted()
      const lock = 'select pg_try_advisory_lock(hashtext($1)) as held'
      const { rows } = await connection.query<{ held: boolean }>(lock, [`prelude-bus-${group}`])
      if (rows[0]?.held) break
      await signal().for(LOCK_EVERY_MS)
    }
    const ask = inTurn(connection)
    const read = async (topic: Topic): Promise<void> => {
      const waits = waiting[topic]
      let handled = await placeOf(ask, places, group, topic)
      waits.looksAt = 0
      while (!isStopped()) {
        if (lost !== undefined) throw lost
        attempted()
        const found = tail.after(topic, handled, BATCH) ?? (await look(ask, { topic, handled, waits, tail }))
        if (found) {
          await handle(found.messages, attempted)
          handled = found.last
          places.raise(group, topic, handled)
        } else if (!isStopped()) await waits.signal.for(POLL_MS)
      }
    }
    // topics have no order between them: one that waits does not hold up the others
    await Promise.all(topics.map(read)).catch((error: unknown) => {
      lose(error) // those that read from memory would not notice
      throw error
    })
    await places.write()
  } finally {
    await connection.end().catch(() => {})
  }
}

type Ask = <R extends pg.QueryResultRow>(query: pg.QueryConfig) => Promise<pg.QueryResult<R>>

/** Topics share one connection, which does one thing at a time. */
function inTurn(connection: pg.Client): Ask {
  let last: Promise<unknown> = Promise.resolve()
  return (query) => {
    const next = last.then(() => connection.query(query))
    last = next.catch(() => {})
    return next as Promise<pg.QueryResult<never>>
  }
}

/** How far the group has come, whichever member it was. */
async function placeOf(ask: Ask, places: Acknowledgements, group: string, topic: Topic): Promise<number> {
  await places.write()
  const { rows } = await ask<{ position: number }>({
    text: `with place as (
             insert into consumer_cursor (consumer_group, topic) values ($1, $2) on conflict do nothing
           )
           select coalesce((select position from consumer_cursor where consumer_group = $1 and topic = $2), 0) as position`,
    values: [group, topic],
  })
  return rows[0]?.position ?? 0
}

interface Look {
  readonly topic: Topic
  readonly handled: number
  readonly waits: Waiting
  readonly tail: TailOfLog
}

/** What follows in the log. Not asked while this process has published all that is known of, and it is handled. */
async function look(ask: Ask, { topic, handled, waits, tail }: Look): Promise<Stretch | undefined> {
  if (Date.now() < waits.looksAt && tail.last(topic) <= handled) return undefined
  waits.looksAt = Date.now() + POLL_MS
  const { rows } = await ask<{ position: number; key: string; value: string }>({
    name: 'bus-read-on',
    text: 'select position, key, value from event where topic = $1 and position > $2 order by position limit $3',
    values: [topic, handled, BATCH],
  })
  if (rows.length === BATCH) waits.looksAt = 0
  const last = rows.at(-1)?.position
  return last === undefined
    ? undefined
    : { last, messages: rows.map(({ key, value }): BusMessage => ({ topic, key, value })) }
}
