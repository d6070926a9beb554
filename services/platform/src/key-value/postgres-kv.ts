import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Clock } from '../clock.ts'
import type { Logger } from '../observability/index.ts'
import type { KeyValue } from './port.ts'
import {
  coalescedNotify,
  deleteInSteps,
  listen,
  postgresDatabase,
  type SchemaSpec,
} from '../database/index.ts'
import { Unavailable } from '../errors.ts'
import { batched } from '../batch.ts'
import { within } from '../within.ts'

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
  const get = batched(
    async (keys: readonly string[]) => {
      const { rows } = await db.query<{ key: string; value: string }>(
        'select key, value from entry where key = any($1::text[]) and expires_at > $2',
        [[...new Set(keys)], clock.now()],
      )
      const found = new Map(rows.map(({ key, value }) => [key, value]))
      return keys.map((key) => found.get(key) ?? null)
    },
    { concurrency: 2, maxSize: 200, timeoutMs: 3_000 },
  )

  const value = async (sql: string, params: readonly unknown[]): Promise<string | null> =>
    (await db.query<{ value: string }>(sql, params)).rows[0]?.value ?? null

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
    getAndDelete: (key) =>
      value(
        'with gone as (delete from entry where key = $1 returning value, expires_at) select value from gone where expires_at > $2',
        [key, clock.now()],
      ),
    increment: async (key, ttlMs) => {
      const now = clock.now()
      return Number(
        await value(
          `insert into entry (key, value, expires_at) values ($1, '1', $2)
           on conflict (key) do update set
             value = case when entry.expires_at <= $3 then '1' else (entry.value::bigint + 1)::text end,
             expires_at = case when entry.expires_at <= $3 then $2 else entry.expires_at end
           returning value`,
          [key, now + ttlMs, now],
        ),
      )
    },
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
