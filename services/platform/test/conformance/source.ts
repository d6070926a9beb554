import type { EventEnvelope } from '@prelude/contracts'
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { PostgresDatabase } from '../../src/database/database.ts'
import { withOwnerConnection } from '../../src/database/connection.ts'
import {
  type Batch,
  type EventBus,
  eventSchemaOf,
  isEvent,
  type Publisher,
  serviceDatabase,
  type Subscribe,
} from '../../src/events/index.ts'
import { eventually } from '../support/eventually.ts'
import { testLogger } from '../support/index.ts'
import { Counted, TOPIC } from './counted.ts'
import { migrate, roleUrl, grantLogReading } from '../../migrate/index.ts'

export { Counted, TOPIC }
export const PASSWORD = 'test-role-password'

export interface BusUnderTest extends AsyncDisposable {
  readonly bus: EventBus
  readonly busUrl: string
  /** The server and database that the services' logs lie in. */
  readonly adminUrl: string
}

/** The service `songs` as a source of events, on the database of a bus under test. */
export interface Source extends BusUnderTest {
  readonly db: PostgresDatabase
  readonly publisher: Publisher
  /** Resolves once statements with this text were run so many times more: a loop that has tried again by then, in vain, goes on so. */
  ran(text: string, times: number): Promise<void>
  /** One event a transaction. */
  emit(uid: string, n: number): Promise<void>
}

export async function openSource(open: () => Promise<BusUnderTest>): Promise<Source> {
  const opened = await open()
  const { bus, adminUrl } = opened
  const logger = testLogger()
  await migrate(adminUrl, eventSchemaOf('songs'), PASSWORD, logger)
  await grantLogReading(adminUrl, PASSWORD)
  const databaseUrl = roleUrl(adminUrl, 'songs', PASSWORD)
  const db = serviceDatabase({ url: databaseUrl, service: 'songs', clock: systemClock, logger })
  const publisher = bus.publish({ topic: TOPIC, db, databaseUrl, logger })
  db.onEmit(publisher.wake)
  return {
    ...opened,
    db,
    publisher,
    ran: (text, times) => hasRun(adminUrl, text, times),
    emit: (uid, n) => db.transaction(async (tx) => tx.emit(Counted, { uid, n })),
    [Symbol.asyncDispose]: async () => {
      await publisher.stop()
      await db.close()
      await opened[Symbol.asyncDispose]()
    },
  }
}

async function hasRun(adminUrl: string, text: string, times: number): Promise<void> {
  const runs = new Set<string>()
  const sql = `select pid || ' ' || query_start as run from pg_stat_activity
    where datname = current_database() and position($1 in query) > 0 and pid <> pg_backend_pid()`
  await withOwnerConnection(adminUrl, (owner) =>
    eventually(async () => {
      for (const { run } of (await owner.query<{ run: string }>(sql, [text])).rows) runs.add(run)
      expect(runs.size).toBeGreaterThan(times) // one may be from before
    }),
  )
}

export const numbers = (seen: readonly EventEnvelope[], key: string): number[] =>
  seen.filter((event) => event.key === key).map(({ data }) => (data as { n: number }).n)

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** Collects what a subscription receives, without the repeats that a bus may deliver. */
export function collector(): { seen: EventEnvelope[]; receive: (batch: Batch) => Promise<void> } {
  const seen: EventEnvelope[] = []
  const reached = new Map<number, number>()
  return {
    seen,
    receive: async ({ partition, messages }) => {
      for (const event of messages.filter(isEvent)) {
        if (event.position <= (reached.get(partition) ?? 0)) continue
        reached.set(partition, event.position)
        seen.push(event)
      }
    },
  }
}

/** Subscribes to the test's topic with a group of its own, and collects what it receives. */
export async function collect(bus: EventBus, options: Partial<Subscribe> = {}) {
  const { seen, receive } = collector()
  const subscription = await bus.subscribe({
    group: randomUUID(),
    topics: [TOPIC],
    from: async () => 0,
    receive,
    ...options,
  })
  return { seen, subscription }
}
