import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import {
  batched,
  type Clock,
  coalescedNotify,
  deleteInSteps,
  listen,
  type Logger,
  postgresDatabase,
  type SchemaSpec,
  Unavailable,
  within,
} from '@prelude/platform'
import type { KeyValue } from './port.ts'

const SCHEMA = 'kv'
export const KV_SCHEMA: SchemaSpec = {
  schema: SCHEMA,
  migrations: { migration: new URL('./migrations/', import.meta.url) },
}

const CHANNEL = 'prelude_kv'
const SEPARATOR = '\n'
const LISTENING_WITHIN_MS = 3_000
/** The client's limit is a second more: the port promises an error within 3 s. */
const STATEMENT_TIMEOUT_MS = 2_000

const BATCHES = { concurrency: 2, maxSize: 200, timeoutMs: 3_000 }

interface Count {
  readonly key: string
  readonly ttlMs: number
  readonly by: number
}

/** In the order of keys, so that two statements do not wait for each other. */
const INCREMENT = `
  insert into entry (key, value, expires_at)
  select key, sum(by)::text, $4 + min(ttl) from unnest($1::text[], $2::bigint[], $3::bigint[]) as count (key, by, ttl)
  group by key order by key
  on conflict (key) do update set
    value = case when entry.expires_at <= $4 then excluded.value
                 else (entry.value::bigint + excluded.value::bigint)::text end,
    expires_at = case when entry.expires_at <= $4 then excluded.expires_at else entry.expires_at end
  returning key, value`

/** In the order of keys too. */
const DELETE = `
  with locked as (select key from entry where key = any($1::text[]) order by key for update),
    gone as (delete from entry using locked where entry.key = locked.key returning entry.*)
  select key, value from gone where expires_at > $2`

/** When each lease of an entry ends, by holder: without those that have ended, and without the holder's own. */
const OTHERS = `
  select holder, until from jsonb_each_text(entry.value::jsonb) as lease (holder, until)
  where until::bigint > $5 and holder <> $3`

/** One statement, which locks each entry, in the order of keys. */
const LEASE = `
  insert into entry (key, value, expires_at)
  select key, jsonb_build_object($3::text, $4::bigint)::text, $4 from unnest($1::text[]) as key order by key
  on conflict (key) do update set
    value = ((select coalesce(jsonb_object_agg(holder, until::bigint), '{}') from (${OTHERS})) || excluded.value::jsonb)::text,
    expires_at = greatest(entry.expires_at, excluded.expires_at)
  where (select count(*) from (${OTHERS})) < ($2::int[])[array_position($1::text[], entry.key)]`

const END_LEASE = `
  with locked as (select key from entry where key = any($1::text[]) order by key for update)
  update entry set value = (value::jsonb - $2::text)::text from locked where entry.key = locked.key`

/** The embedded key-value store: a table, and LISTEN/NOTIFY for fan-out to other processes, if any subscribes. */
export function postgresKeyValue(options: {
  url: string
  logger: Logger
  clock: Clock
  /** No other process subscribes, so that none is notified. */
  onlySubscriber?: boolean | undefined
}): KeyValue {
  const { url, logger, clock, onlySubscriber = false } = options
  const db = postgresDatabase({
    url,
    schema: SCHEMA,
    logger,
    poolSize: 4,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  /** Messages by channel. */
  const channels = new EventEmitter().setMaxListeners(0)
  // listeners in this process receive at once, without the server
  const self = randomUUID()
  const receive = (payload: string): void => {
    const [from, channel = '', ...message] = payload.split(SEPARATOR)
    if (from !== self) channels.emit(channel, message.join(SEPARATOR))
  }
  const interruptions = new EventEmitter()
  let connections = 0
  const onConnect = (): void => {
    if (connections++ > 0) interruptions.emit('end')
  }
  const notifications = listen({
    url,
    schema: SCHEMA,
    channel: CHANNEL,
    logger,
    onMessage: receive,
    onConnect,
  })
  const notify = onlySubscriber ? null : coalescedNotify(db, CHANNEL, logger)
  const get = batched(async (keys: readonly string[]) => {
    const { rows } = await db.query<{ key: string; value: string }>(
      'select key, value from entry where key = any($1::text[]) and expires_at > $2',
      [[...new Set(keys)], clock.now()],
    )
    const found = new Map(rows.map(({ key, value }) => [key, value]))
    return keys.map((key) => found.get(key) ?? null)
  }, BATCHES)
  const increment = batched(async (counts: readonly Count[]) => {
    const params = [
      counts.map(({ key }) => key),
      counts.map(({ by }) => by),
      counts.map(({ ttlMs }) => ttlMs),
    ]
    const { rows } = await db.query<{ key: string; value: string }>(INCREMENT, [...params, clock.now()])
    const values = new Map(rows.map(({ key, value }) => [key, Number(value)]))
    // the last one of a key got the value, each one before it what was there before the next
    const answers = counts.toReversed().map(({ key, by }) => {
      const value = values.get(key) ?? 0
      values.set(key, value - by)
      return value
    })
    return answers.toReversed()
  }, BATCHES)

  const getAndDelete = batched(async (keys: readonly string[]) => {
    const { rows } = await db.query<{ key: string; value: string }>(DELETE, [keys, clock.now()])
    const found = new Map(rows.map(({ key, value }) => [key, value]))
    return keys.map((key) => {
      const value = found.get(key) ?? null
      found.delete(key) // of several that take a key one gets it
      return value
    })
  }, BATCHES)
  const endLease: KeyValue['endLease'] = async (keys, holder) => {
    await db.query(END_LEASE, [keys.map(({ key }) => key), holder])
  }

  return {
    get,
    set: async (key, text, ttlMs) => {
      await db.query(
        `insert into entry (key, value, expires_at) values ($1, $2, $3)
         on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`,
        [key, text, clock.now() + ttlMs],
      )
    },
    setIfAbsent: async (key, text, ttlMs) => {
      const now = clock.now()
      const { rowCount } = await db.query(
        `insert into entry (key, value, expires_at) values ($1, $2, $3)
         on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at
         where entry.expires_at <= $4`,
        [key, text, now + ttlMs, now],
      )
      return rowCount === 1
    },
    getAndDelete,
    increment: (key, ttlMs, by = 1) => increment({ key, ttlMs, by }),
    lease: async (keys, holder, ttlMs) => {
      const now = clock.now()
      const params = [keys.map(({ key }) => key), keys.map(({ most }) => most), holder, now + ttlMs, now]
      const { rowCount } = await db.query(LEASE, params)
      const isTaken = rowCount === keys.length
      if (!isTaken) await endLease(keys, holder)
      return isTaken
    },
    endLease,
    publish: async (channel, message) => {
      channels.emit(channel, message)
      notify?.([self, channel, message].join(SEPARATOR))
    },
    subscribe: async (channel, listener) => {
      await within(LISTENING_WITHIN_MS, notifications.ready).catch((error: unknown) => {
        throw new Unavailable('the key-value store', error)
      })
      channels.on(channel, listener)
      return async () => void channels.off(channel, listener)
    },
    onInterruption: (listener) => void interruptions.on('end', listener),
    removeExpired: async (signal) => {
      const params = [await clock.databaseNow(db)]
      await deleteInSteps(db, { table: 'entry', where: 'expires_at < $1', params }, signal)
    },
    ping: async () => {
      await db.query('select 1')
    },
    close: async () => {
      await notify?.stop()
      await notifications.stop()
      await db.close()
    },
  }
}
