import {
  type EventEnvelope,
  type ServiceName,
  STANDARD_TERMS,
  topicOf,
  VersionsAnalyzed,
} from '@prelude/contracts'
import { creditsSubscribers } from '@prelude/credits'
import { notifierSubscribers } from '@prelude/notifier'
import { paymentsSubscribers } from '@prelude/payments'
import {
  type Clock,
  type Database,
  type Logger,
  postgresDatabase,
  type Query,
  type Subscriber,
  withOwnerConnection,
} from '@prelude/platform'
import { songsSubscribers } from '@prelude/songs'
import { storageSubscribers } from '@prelude/storage'
import { queueForReplay } from '../move/queue-for-replay.ts'
import { passed, SOURCES } from './events.ts'

/** An event that a consumer has passed, and that would have an effect if it were handled now. */
export interface MissedEvent extends Pick<EventEnvelope, 'position' | 'type' | 'key' | 'at'> {
  readonly consumer: string
  readonly source: string
  /** What the handler throws; null if it would succeed. */
  readonly error: string | null
}

interface Search {
  /** Events of this person only. */
  readonly key?: string | undefined
  /** Events from this time on (ms since the epoch). */
  readonly since?: number | undefined
}

const READ_AT_ONCE = 500

/** For dry runs: the amounts that handlers would post do not matter. */
const subscribersOf = (clock: Clock): Readonly<Record<string, readonly Subscriber[]>> => ({
  songs: songsSubscribers(clock, STANDARD_TERMS),
  credits: creditsSubscribers(clock, { startingCreditsCents: 0 }),
  payments: paymentsSubscribers,
  storage: storageSubscribers(clock),
  notifier: notifierSubscribers(clock),
})

/** Handling it always writes a new revision of the song, so a repeat looks like a first time; it only makes pages refetch. */
const NOT_IDEMPOTENT: readonly string[] = [VersionsAnalyzed.type]

/**
 * Handles every event that its consumers have passed once more, each in a transaction that is rolled back, and yields those
 * that wrote or emitted something: handlers do nothing for an event that had its effect. Events that became dead letters are
 * left out. The product may run meanwhile. Works as the database's owner; takes about 2 ms for each event and consumer.
 */
export async function* missedEvents(
  adminUrl: string,
  { clock, logger }: { clock: Clock; logger: Logger },
  search: Search = {},
): AsyncGenerator<MissedEvent> {
  for (const [consumer, subscribers] of Object.entries(subscribersOf(clock))) {
    const db = postgresDatabase({ url: adminUrl, schema: consumer, logger, poolSize: 1 })
    try {
      for (const source of SOURCES[consumer] ?? [])
        for await (const event of passedEvents(db, { consumer, source, subscribers }, search)) {
          const outcome = await dryRun(db, subscribers, event)
          if (outcome === 'no effect') continue
          const { position, type, key, at } = event
          const error = outcome === 'effect' ? null : outcome.message
          yield { consumer, source, position, type, key, at, error }
        }
    } finally {
      await db.close()
    }
  }
}

async function* passedEvents(
  db: Query,
  { consumer, source, subscribers }: { consumer: string; source: string; subscribers: readonly Subscriber[] },
  { key = null, since = null }: { key?: string | null | undefined; since?: number | null | undefined },
): AsyncGenerator<EventEnvelope> {
  const topic = topicOf(source as ServiceName)
  const types = subscribers
    .map(({ event }) => event)
    .filter((event) => event.topic === topic && !NOT_IDEMPOTENT.includes(event.type))
    .map(({ type }) => type)
  for (let after = 0; ;) {
    const { rows } = await db.query<EventEnvelope>(
      `select '${topic}' as topic, id, position, key, type, version, "for", at, correlation_id as "correlationId", data
       from (${passed(consumer, source)}) e
       where position > $1 and type = any($2) and key = coalesce($3, key) and at >= coalesce($4, at)
         and ('${consumer}' = any("for") or "for" is null and '${consumer}' <> 'notifier')
         and not exists (select from ${consumer}.dead_letter d where d.topic = '${topic}' and d.position = e.position)
       order by position limit ${READ_AT_ONCE}`,
      [after, types, key, since],
    )
    yield* rows
    after = rows.at(-1)?.position ?? after
    if (rows.length < READ_AT_ONCE) return
  }
}

const rollback = new Error('rolled back')

/** Rows that the session has written, of transactions that were rolled back too. */
const WRITTEN =
  'select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) as rows from pg_stat_xact_user_tables'

async function dryRun(
  db: Database,
  subscribers: readonly Subscriber[],
  event: EventEnvelope,
): Promise<'effect' | 'no effect' | Error> {
  const subscriber = subscribers.find(
    (one) => one.event.type === event.type && one.event.version === event.version,
  )
  if (!subscriber) return 'no effect'
  let hasEffect = false
  try {
    await db.transaction(async (tx) => {
      const written = async () => (await tx.query<{ rows: number }>(WRITTEN)).rows[0]?.rows
      const before = await written()
      await subscriber.handle([event], { ...tx, emit: () => (hasEffect = true) })
      hasEffect ||= (await written()) !== before
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) return error as Error
  }
  return hasEffect ? 'effect' : 'no effect'
}

/**
 * Hands the events to the running consumers, as dead letters whose replay is requested, and counts them as taken. The handlers
 * of the services do the rest; an event that had its effect meanwhile has none again.
 */
export const queueMissed = (adminUrl: string, missed: readonly MissedEvent[]): Promise<void> =>
  withOwnerConnection(adminUrl, async (client) => {
    const pairs = Map.groupBy(missed, ({ consumer, source }) => `${consumer} ${source}`)
    for (const events of pairs.values()) {
      const [{ consumer, source } = { consumer: '', source: '' }] = events
      const cursors = `${consumer}.cursor where topic = 'prelude.${source}'`
      await client.query('begin')
      // as the consumer does, so that no event of these keys comes in between
      await client.query(`select from ${cursors} order by partition for update`)
      const queued = await queueForReplay(
        client,
        { consumer, source, reason: 'passed without effect' },
        `select * from ${source}.event where position = any($1)`,
        [events.map(({ position }) => position)],
      )
      // those that were passed as if they did not exist were not counted
      await client.query(
        `update ${consumer}.cursor set taken = taken + greatest(0, least($1,
           (select count(*) from (${passed(consumer, source)}) e) + (select removed from ${source}.event_removal)
           - (select sum(taken) from ${cursors})))
         where topic = 'prelude.${source}' and partition = (select min(partition) from ${cursors})`,
        [queued],
      )
      await client.query('commit')
    }
  })
