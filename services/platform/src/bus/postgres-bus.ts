import pg from 'pg'
import type { Topic } from '@prelude/contracts'
import type { Logger } from '../logger.ts'
import type { BusMessage, EventBus, Subscription } from '../ports.ts'
import { connectionOptions, postgresDatabase } from '../postgres/database.ts'
import { coalescedNotify, listen } from '../postgres/notify.ts'
import { signal } from '../postgres/wait.ts'
import { refuseOversized } from './message-refused.ts'

export const BUS_SCHEMA = 'bus'
export const BUS_MIGRATIONS = new URL('./migrations/', import.meta.url)

const CHANNEL = 'prelude_bus'
const BATCH = 500
/** A notice wakes a reader at once; this is for one that was lost. */
const POLL_MS = 5_000
const LOCK_EVERY_MS = 1_000
const RETRY_MS = 500
const RETENTION = '14 days'

/** The embedded bus: log tables in PostgreSQL. One member of a group reads at a time (advisory lock); others stand by. */
export function postgresBus(options: { url: string; logger: Logger }): EventBus {
  const { url, logger } = options
  const db = postgresDatabase({ url, schema: BUS_SCHEMA, logger, poolSize: 4 })
  const wakers = new Set<Wake>()
  const wakeReaders = (topic?: string): void => {
    for (const wake of wakers) wake(topic)
  }
  const notifications = listen({
    url,
    schema: BUS_SCHEMA,
    channel: CHANNEL,
    logger,
    onMessage: wakeReaders,
    // what was said meanwhile was not heard
    onConnect: () => wakeReaders(),
  })
  const notify = coalescedNotify(db, CHANNEL, logger)

  const clean = (): void => {
    const sql = `delete from event e where published_at < now() - interval '${RETENTION}' and position <=
      (select min(position) from consumer_cursor c where c.topic = e.topic)`
    db.query(sql).catch((error: Error) => logger.warn({ err: error.message }, 'old events were not removed'))
  }
  const cleaning = setInterval(clean, 3_600_000)
  cleaning.unref()

  return {
    createTopics: async (topics) => {
      await db.query('insert into topic (name) select unnest($1::text[]) on conflict do nothing', [topics])
    },
    publish: async (topic, messages) => {
      refuseOversized(messages)
      await db.query('select publish($1, $2::text[], $3::text[])', [
        topic,
        messages.map((message) => message.key),
        messages.map((message) => message.value),
      ])
      wakeReaders(topic)
      notify(topic)
    },
    subscribe: (subscription) =>
      subscribe({ url, logger, wakers, lag: lagReader(db, subscription) }, subscription),
    held: async (topics) => {
      const sql = 'select count(*) as held from event where topic = any($1::text[])'
      return (await db.query<{ held: number }>(sql, [topics])).rows[0]?.held ?? 0
    },
    ping: async () => {
      await db.query('select 1')
    },
    close: async () => {
      clearInterval(cleaning)
      await notify.stop()
      await notifications.stop()
      await db.close()
    },
  }
}

type SubscribeOptions = Parameters<EventBus['subscribe']>[0]

/** The readers of a topic; of all when none is named. */
type Wake = (topic?: string) => void

interface Surroundings {
  readonly url: string
  readonly logger: Logger
  readonly wakers: Set<Wake>
  readonly lag: Subscription['lag']
}

function lagReader(db: { query: EventBusQuery }, { group, topics }: SubscribeOptions): Subscription['lag'] {
  return async (only) => {
    const { rows } = await db.query<{ lag: number }>(
      `select coalesce(sum(last_position - coalesce(position, 0)), 0)::bigint as lag from topic
       left join consumer_cursor on topic = name and consumer_group = $1 where name = any($2::text[])`,
      [group, only === undefined ? topics : [only]],
    )
    return rows[0]?.lag ?? 0
  }
}
type EventBusQuery = <R>(sql: string, params?: readonly unknown[]) => Promise<{ rows: R[] }>

type Waiting = Record<Topic, ReturnType<typeof signal>>

async function subscribe(around: Surroundings, options: SubscribeOptions): Promise<Subscription> {
  const waiting = Object.fromEntries(options.topics.map((topic) => [topic, signal()])) as Waiting
  const wake = (topic?: string): void => {
    for (const [name, one] of Object.entries(waiting)) if (topic === undefined || topic === name) one.wake()
  }
  around.wakers.add(wake)
  let stopped = false
  let lastAttemptAt = Date.now()
  const attempted = (): void => {
    lastAttemptAt = Date.now()
  }
  const isStopped = (): boolean => stopped

  const running = (async () => {
    while (!stopped) {
      try {
        await consume(around.url, options, waiting, isStopped, attempted)
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
      around.wakers.delete(wake)
      wake()
      await running
    },
  }
}

/** Holds the group's lock on a connection of its own, reads from each topic's cursor, and moves it on when the batch is handled. */
async function consume(
  url: string,
  { group, topics, handle }: SubscribeOptions,
  waiting: Waiting,
  isStopped: () => boolean,
  attempted: () => void,
): Promise<void> {
  // the log is read in the order of its index; on a young table the planner would read all that waits, and sort it
  const inOrder = { enable_sort: 'off', enable_bitmapscan: 'off', enable_seqscan: 'off' } as const
  const connection = new pg.Client({
    ...connectionOptions(url, BUS_SCHEMA, inOrder),
    query_timeout: 10_000,
  })
  let lost: Error | undefined
  connection.on('error', (error) => {
    lost = error
  })
  await connection.connect()
  try {
    while (!isStopped()) {
      attempted()
      const lock = 'select pg_try_advisory_lock(hashtext($1)) as held'
      const { rows } = await connection.query<{ held: boolean }>(lock, [`prelude-bus-${group}`])
      if (rows[0]?.held) break
      await signal().for(LOCK_EVERY_MS)
    }
    await connection.query(
      `insert into consumer_cursor (consumer_group, topic) select $1, unnest($2::text[]) on conflict do nothing`,
      [group, topics],
    )
    const ask = inTurn(connection)
    // topics have no order between them: one that waits does not hold up the others
    await Promise.all(
      topics.map(async (topic) => {
        let handled = 0
        while (!isStopped()) {
          if (lost) throw lost
          attempted()
          const events = await readOn(ask, { group, topic, handled, most: BATCH })
          const last = events.at(-1)
          if (last) {
            const messages = events.map(({ key, value }): BusMessage => ({ topic, key, value }))
            await handle(messages, attempted)
            handled = last.position
          } else if (!isStopped()) await waiting[topic].for(POLL_MS)
        }
        await readOn(ask, { group, topic, handled, most: 0 })
      }),
    )
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

/** Acknowledges what was handled, up to its position (0: nothing yet), and reads what follows, in one round trip. */
async function readOn(
  ask: Ask,
  { group, topic, handled, most }: { group: string; topic: Topic; handled: number; most: number },
): Promise<{ position: number; key: string; value: string }[]> {
  const { rows } = await ask<{ position: number; key: string; value: string }>({
    name: 'bus-read-on',
    text: `with acknowledged as (
             update consumer_cursor set position = $3 where consumer_group = $1 and topic = $2 and position < $3
           )
           select e.position, e.key, e.value from event e
           where e.topic = $2 and e.position >
             greatest($3, (select position from consumer_cursor where consumer_group = $1 and topic = $2))
           order by e.position limit $4`,
    values: [group, topic, handled, most],
  })
  return rows
}
