import { randomUUID } from 'node:crypto'
import type { Logger } from '../observability/logger.ts'
import type { EventBus, Subscription } from './port.ts'
import type { Query } from '../database/port.ts'
import { postgresDatabase } from '../database/database.ts'
import { coalescedNotify, listen } from '../database/notify.ts'
import { textArray } from './text-array.ts'
import { acknowledgements, type Acknowledgements } from './acknowledgements.ts'
import { BUS_SCHEMA, type Reader, subscribe, type SubscribeOptions } from './log-reader.ts'
import { refuseOversized } from './message-refused.ts'
import { tailOfLog } from './tail-of-log.ts'

export const BUS_MIGRATIONS = new URL('./bus-migrations/', import.meta.url)

const CHANNEL = 'prelude_bus'
const RETENTION = '14 days'

/**
 * The embedded bus: log tables in PostgreSQL. One member of a group reads at a time (advisory lock); others stand by.
 * What this process has published itself its readers take from memory, once it is in the log.
 */
export function postgresBus(options: { url: string; logger: Logger }): EventBus {
  const { url, logger } = options
  const db = postgresDatabase({ url, schema: BUS_SCHEMA, logger, poolSize: 4 })
  const self = randomUUID()
  const readers = new Set<Reader>()
  const tail = tailOfLog()
  const places = acknowledgements(db, logger)
  /** `message`: a topic and who published. */
  const heard = (message: string): void => {
    const [topic, publisher] = message.split(' ')
    if (publisher !== self) for (const reader of readers) reader.lookAt(topic)
  }
  const notifications = listen({
    url,
    schema: BUS_SCHEMA,
    channel: CHANNEL,
    logger,
    onMessage: heard,
    onConnect: () => {
      // what was said meanwhile was not heard
      for (const reader of readers) reader.lookAt()
    },
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
      const keys = textArray(messages.map((message) => message.key))
      const values = textArray(messages.map((message) => message.value))
      const { rows } = await db.query<{ last: number }>(
        'select publish($1, $2::text[], $3::text[]) as last',
        [topic, keys, values],
      )
      tail.add(topic, {
        last: rows[0]?.last ?? 0,
        messages: messages.map(({ key, value }) => ({ topic, key, value })),
      })
      for (const reader of readers) reader.wake(topic)
      notify(`${topic} ${self}`)
    },
    subscribe: (subscription) =>
      subscribe(
        { url, logger, readers, tail, places, lag: lagReader(db, places, subscription) },
        subscription,
      ),
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
      await places.stop()
      await db.close()
    },
  }
}

function lagReader(
  db: Query,
  places: Acknowledgements,
  { group, topics }: SubscribeOptions,
): Subscription['lag'] {
  return async (only) => {
    await places.write()
    const { rows } = await db.query<{ lag: number }>(
      `select coalesce(sum(last_position - coalesce(position, 0)), 0)::bigint as lag from topic
       left join consumer_cursor on topic = name and consumer_group = $1 where name = any($2::text[])`,
      [group, only === undefined ? topics : [only]],
    )
    return rows[0]?.lag ?? 0
  }
}
