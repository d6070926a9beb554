import pg from 'pg'
import type { Topic } from '@prelude/contracts'
import { MessageRefused } from './message-refused.ts'
import type { Logger } from '../observability/logger.ts'
import type { EventBus } from './port.ts'
import { connectionOptions, type PostgresDatabase } from '../database/database.ts'
import { coalescedNotify } from '../database/notify.ts'
import { envelopeText, type OutboxEvent } from './append.ts'
import { outboxFloor } from './outbox-floor.ts'
import { signal } from '../wait.ts'
import { type WrittenEvents, writtenEvents } from './written-events.ts'

const BATCH = 500
/** A notice wakes the leader at once; this is for one that was lost. */
const POLL_MS = 5_000
const LOCK_EVERY_MS = 1_000
const RETRY_MS = 500
/**
 * While events keep coming, what was sent is marked so often; else as soon as nothing has come for a moment, so that the
 * next event does not wait for it. What is sent again after a crash is known by its readers' marks.
 */
const MARK_EVERY_MS = 50
const MOMENT_MS = 5
/** How often a relay that waits for a crowd to pass looks whether it has. */
const CROWD_LOOK_MS = 5
const RETENTION_MS = 14 * 24 * 3_600_000
const REMOVED_AT_ONCE = 10_000
/** Few statements, each by its index; a plan for every list of ids would cost more than to read them. */
const PLANNER = { enable_seqscan: 'off', enable_sort: 'off', plan_cache_mode: 'force_generic_plan' } as const

export interface Relay {
  /**
   * There are new events: whichever instance leads sends them now instead of at its next poll. The leader does not read those
   * that it is given here, once the outbox has them.
   */
  wake(written?: readonly OutboxEvent[]): void
  stop(): Promise<void>
}

interface OutboxRow {
  id: number
  event_id: string
  topic: Topic
  key: string
  seq: number
  type: string
  version: number
  at: number
  correlation_id: string
  traceparent: string | null
  /** As JSON: it goes on as it is. */
  data: string
}

/**
 * Sends a schema's outbox to the bus, in order per key. Of all instances the one that holds the schema's advisory lock
 * does it; rows are marked on that same connection, so whoever loses the lock marks nothing. At least once.
 */
export function startRelay(options: {
  url: string
  schema: string
  db: Pick<PostgresDatabase, 'query'>
  bus: EventBus
  logger: Logger
  /** While it says so nothing is sent. */
  waits?: (() => boolean) | undefined
  /** Told how many events the bus took, and when this instance begins or ceases to lead. */
  onSent?: (events: number) => void
  onLead?: (leads: boolean) => void
}): Relay {
  const { schema, bus, logger, waits = () => false, onSent, onLead } = options
  const channel = `prelude_outbox_${schema}`
  const notify = coalescedNotify(options.db, channel, logger)
  const waiting = signal()
  const written = writtenEvents()
  let stopped = false
  let leads = false

  const lead = async (): Promise<void> => {
    const connection = new pg.Client({
      ...connectionOptions(options.url, schema, PLANNER),
      query_timeout: 10_000,
    })
    connection.on('error', () => waiting.wake())
    connection.on('notification', () => waiting.wake())
    await connection.connect()
    try {
      while (!stopped && !(await tryLock(connection, schema))) await waiting.for(LOCK_EVERY_MS)
      leads = true
      onLead?.(true)
      await connection.query(`listen ${channel}`)
      const floor = outboxFloor(connection)
      let cleanedAt = 0
      let seen = 0
      let sent: readonly number[] = []
      let markedAt = Date.now()
      let isQuiet = false
      while (!stopped) {
        while (waits() && !stopped) await waiting.for(CROWD_LOOK_MS, { deaf: true })
        const isDue = isQuiet || sent.length >= BATCH || Date.now() - markedAt >= MARK_EVERY_MS
        const ids = await readOn(connection, { after: floor.current(), sent, marks: isDue, most: BATCH })
        const events = await eventsOf(ids, { connection, written })
        if (isDue) {
          sent = []
          markedAt = Date.now()
        }
        const took = await send(events, { connection, bus, logger })
        sent = [...sent, ...took]
        if (took.length > 0) onSent?.(took.length)
        seen = Math.max(seen, ids.at(-1) ?? 0)
        if (took.length > 0 && floor.isDue()) await floor.raise(seen)
        isQuiet = false
        if (events.length === 0 && !stopped) {
          const wasWoken = await waiting.for(sent.length > 0 ? MOMENT_MS : POLL_MS)
          isQuiet = !wasWoken
        }
        if (Date.now() - cleanedAt > 3_600_000) {
          cleanedAt = Date.now()
          await removeOld(connection)
        }
      }
      await readOn(connection, { after: 0, sent, marks: true, most: 0 })
    } finally {
      leads = false
      written.clear()
      onLead?.(false)
      await connection.end().catch(() => {})
    }
  }

  const running = (async () => {
    while (!stopped) {
      try {
        await lead()
      } catch (error) {
        if (!stopped)
          logger.warn({ schema, err: (error as Error).message }, 'outbox relay interrupted, trying again')
        if (!stopped) await waiting.for(RETRY_MS, { deaf: true })
      }
    }
  })()

  return {
    wake: (events = []) => {
      if (!leads) return notify('')
      written.add(events)
      waiting.wake()
    },
    stop: async () => {
      stopped = true
      waiting.wake()
      await running
      await notify.stop()
    },
  }
}

/** Ids rise with time, so the oldest rows are looked at, not all. */
async function removeOld(connection: pg.Client): Promise<void> {
  let removed: number | null
  do {
    const oldest = `select id, at from outbox order by id limit ${REMOVED_AT_ONCE}`
    const { rowCount } = await connection.query(
      `delete from outbox using (${oldest}) oldest
       where outbox.id = oldest.id and oldest.at < $1 and not exists (select from outbox_unsent where id = oldest.id)`,
      [Date.now() - RETENTION_MS],
    )
    removed = rowCount
  } while (removed === REMOVED_AT_ONCE)
}

async function tryLock(connection: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await connection.query<{ held: boolean }>(
    'select pg_try_advisory_lock(hashtext($1)) as held',
    [`prelude-relay-${schema}`],
  )
  return rows[0]?.held === true
}

/**
 * The ids that follow what was sent, in order; takes that from the list too, in the same round trip, when told to: that waits
 * for the disk.
 */
async function readOn(
  connection: pg.Client,
  { after, sent, marks, most }: { after: number; sent: readonly number[]; marks: boolean; most: number },
): Promise<readonly number[]> {
  const mark = marks ? 'with sent as (delete from outbox_unsent where id = any($1::bigint[]))' : ''
  const { rows } = await connection.query<{ id: number }>({
    name: marks ? 'relay-mark-and-read-on' : 'relay-read-on',
    text: `${mark} select id from outbox_unsent
           where id > $2::bigint and id <> all($1::bigint[]) and key <> all(array(select key from outbox_blocked))
           order by id limit $3`,
    values: [sent, after, most],
  })
  return rows.map(({ id }) => id)
}

/** In the order of their ids. Those that this process has not written, or not lately, are read. */
async function eventsOf(
  ids: readonly number[],
  { connection, written }: { connection: pg.Client; written: WrittenEvents },
): Promise<readonly OutboxEvent[]> {
  const known = new Map(ids.map((id) => [id, written.take(id)]))
  const unknown = ids.filter((id) => known.get(id) === undefined)
  if (unknown.length > 0) {
    const { rows } = await connection.query<OutboxRow>({
      name: 'relay-read-events',
      text: `select id, event_id, topic, key, seq, type, version, at, correlation_id, traceparent, data::text as data
             from outbox where id = any($1::bigint[])`,
      values: [unknown],
    })
    for (const row of rows) known.set(row.id, eventOf(row))
  }
  return ids.flatMap((id) => known.get(id) ?? [])
}

function eventOf({ event_id, correlation_id, data, ...row }: OutboxRow): OutboxEvent {
  return { ...row, text: envelopeText({ ...row, id: event_id, correlationId: correlation_id }, data) }
}

/** Answers the ids of those that the bus took. One that it refuses blocks its key. */
async function send(
  events: readonly OutboxEvent[],
  { connection, bus, logger }: { connection: pg.Client; bus: EventBus; logger: Logger },
): Promise<readonly number[]> {
  const sent: number[] = []
  for (const [topic, ofTopic] of Map.groupBy(events, (event) => event.topic)) {
    try {
      await bus.publish(
        topic,
        ofTopic.map(({ key, text }) => ({ key, value: text })),
      )
    } catch (error) {
      if (!(error instanceof MessageRefused)) throw error
      const refused = ofTopic[error.index]
      if (refused) await block(connection, refused, error.message, logger)
      return sent // the others flow at the next look
    }
    sent.push(...ofTopic.map(({ id }) => id))
  }
  return sent
}

async function block(
  connection: pg.Client,
  event: OutboxEvent,
  reason: string,
  logger: Logger,
): Promise<void> {
  await connection.query(
    'insert into outbox_blocked (key, outbox_id, reason) values ($1, $2, $3) on conflict do nothing',
    [event.key, event.id, reason],
  )
  logger.error(
    { topic: event.topic, seq: event.seq, type: event.type, reason },
    'event refused by the bus, key blocked',
  )
}
