import type { ServiceName, Topic } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { type Database, withOwnerConnection } from '../src/database/index.ts'
import {
  createConsumer,
  eventSchemaOf,
  markUnsubscribed,
  removeOldEvents,
  serviceDatabase,
} from '../src/events/index.ts'
import { testDatabase, testLogger } from './support/index.ts'
import { migrate, roleUrl } from '../migrate/index.ts'

const PASSWORD = 'test-role-password'
const DAY_MS = 24 * 60 * 60 * 1000

/** The log of songs and a consumer of it, `credits`, in one database. */
async function startLog() {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const logger = testLogger()
  for (const service of ['songs', 'credits'] as const)
    await migrate(adminUrl, eventSchemaOf(service), PASSWORD, logger)
  const open = (service: ServiceName) =>
    serviceDatabase({
      url: roleUrl(adminUrl, service, PASSWORD),
      service,
      clock: systemClock,
      logger,
      poolSize: 1,
    })
  const [songs, credits] = [open('songs'), open('credits')]
  const numberIn = async (sql: string, params: unknown[] = []): Promise<number> =>
    (await songs.query<{ n: number }>(sql, params)).rows[0]!.n
  return {
    db: songs,
    credits,
    asOwner: (sql: string) => withOwnerConnection(adminUrl, (owner) => owner.query(sql)),
    /** Appends so many events that are so old. */
    append: (events: number, days: number) =>
      songs.query(
        `insert into event (id, key, type, version, at, correlation_id, data)
         select gen_random_uuid(), 'u', 'T', 1, $2, 'c', '{}' from generate_series(1, $1::integer)`,
        [events, Date.now() - days * DAY_MS],
      ),
    /** Removes at most so many, and answers how many it says that it has removed. */
    remove: (most = 100) => numberIn(`select remove_old_events('prelude.songs', $1) as n`, [most]),
    removed: () => numberIn('select removed as n from event_removal'),
    positions: async () =>
      (await songs.query<{ position: number }>('select position from event order by 1')).rows.map(
        ({ position }) => position,
      ),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([songs.close(), credits.close()])
      await drop()
    },
  }
}

/** Stores how far this service has read the log of songs; as its one partition if not given. */
const cursor = (db: Database, position: number, [partition, partitions] = [0, 1]) =>
  db.query(
    `insert into cursor (topic, partition, partitions, position) values ('prelude.songs', $1, $2, $3)
     on conflict (topic, partition) do update set position = excluded.position`,
    [partition, partitions, position],
  )

test('events older than 14 days are removed from the beginning of the log, at most so many at once, and counted', async () => {
  await using songs = await startLog()
  await songs.append(5, 15)
  await songs.append(2, 13)
  expect(await songs.remove(3)).toBe(3)
  expect(await songs.positions()).toEqual([4, 5, 6, 7])
  expect(await songs.remove(3)).toBe(2)
  expect(await songs.positions()).toEqual([6, 7])
  expect(await songs.remove(3)).toBe(0)
  expect(await songs.removed()).toBe(5)
})

test('what is removed is a part of the log from its beginning, also where times do not rise with positions', async () => {
  await using songs = await startLog()
  await songs.append(1, 15)
  await songs.append(1, 13)
  await songs.append(1, 15)
  expect(await songs.remove(3)).toBe(1)
  expect(await songs.positions()).toEqual([2, 3])
})

test('an event stays until the forwarder has sent it to the bus', async () => {
  await using songs = await startLog()
  await songs.append(5, 15)
  await cursor(songs.db, 3)
  expect(await songs.remove()).toBe(3)
  expect(await songs.positions()).toEqual([4, 5])
  await cursor(songs.db, 5)
  expect(await songs.remove()).toBe(2)
  expect(await songs.removed()).toBe(5)
})

test('an event stays until each consumer that reads the log itself has handled it, however long the product was stopped', async () => {
  await using songs = await startLog()
  await songs.append(5, 15)
  await cursor(songs.credits, 2)
  expect(await songs.remove()).toBe(2)
  expect(await songs.positions()).toEqual([3, 4, 5])
  await cursor(songs.credits, 5)
  expect(await songs.remove()).toBe(3)
})

test('an event does not stay for a service that no longer subscribes, and an older version of it goes on where it was', async () => {
  await using songs = await startLog()
  await songs.append(5, 15)
  await cursor(songs.credits, 2)
  const version = (topics: readonly Topic[]) =>
    markUnsubscribed({ db: songs.credits, logger: testLogger() }, 'credits', topics).run()
  await version([])
  expect(await songs.remove(1)).toBe(1)
  const older = createConsumer({
    service: 'credits',
    db: songs.credits,
    subscribers: [],
    logger: testLogger(),
  })
  expect(await older.position('prelude.songs')).toBe(2)
  expect(await songs.remove(2)).toBe(2)
  await version(['prelude.songs'])
  expect(await songs.remove()).toBe(0)
  await version([])
  expect(await songs.remove()).toBe(2)
})

test("the cursor of a service's own forwarder is never taken for one of a topic that it left", async () => {
  await using songs = await startLog()
  await songs.append(5, 15)
  await cursor(songs.db, 3)
  await markUnsubscribed({ db: songs.db, logger: testLogger() }, 'songs', []).run()
  expect(await songs.remove()).toBe(3)
})

test('a service that is not migrated yet holds up the events that it has not handled', async () => {
  await using songs = await startLog()
  await songs.append(5, 15)
  await cursor(songs.credits, 2)
  await songs.asOwner('alter table credits.cursor drop column unsubscribed')
  expect(await songs.remove()).toBe(2)
})

test('consumers behind a broker hold up no removal: what the forwarder has sent, the broker keeps', async () => {
  await using songs = await startLog()
  await songs.append(5, 15)
  await cursor(songs.db, 5)
  await cursor(songs.credits, 0, [0, 12])
  await cursor(songs.credits, 5, [1, 12])
  expect(await songs.remove()).toBe(5)
})

test('the hourly job removes all old events, however many', async () => {
  await using songs = await startLog()
  await songs.append(20_001, 15)
  await songs.append(1, 1)
  const job = removeOldEvents(songs.db, 'songs')
  await job.run(AbortSignal.abort())
  expect(await songs.removed()).toBe(0)
  await job.run(new AbortController().signal)
  expect(await songs.removed()).toBe(20_001)
  expect(await songs.positions()).toEqual([20_002])
})
