import { expect, test } from 'vitest'
import { gauge } from '../src/observability/measures.ts'
import { startJob } from '../src/host/jobs.ts'
import { checkInvariants } from '../src/host/ops/check-invariants.ts'
import { connect } from '../src/database/connection.ts'
import { postgresDatabase } from '../src/database/database.ts'
import { eventually } from './support/eventually.ts'
import { testClock, testDatabase, testLogger } from './support/index.ts'
import { migrate, roleUrl } from '../migrate/index.ts'

const PASSWORD = 'test-role-password'
const INVARIANTS = [
  { name: 'no total is negative', of: 'tally', sql: 'select uid from tally where total < 0' },
  { name: 'all is in order', of: 'tally', sql: 'select uid from tally where not in_order' },
]

/** A tally and a job that checks it at once. */
async function startChecking() {
  const database = await testDatabase()
  const logger = testLogger()
  const schema = 'sink'
  const migrations = { migration: new URL('tally/', import.meta.url) }
  await migrate(database.adminUrl, { schema, migrations }, PASSWORD, logger)
  const url = roleUrl(database.adminUrl, schema, PASSWORD)
  const db = postgresDatabase({ url, schema, logger })
  const clock = testClock()
  const breaches = gauge('breaches', 'x', ['invariant'])
  const newJob = (invariants = INVARIANTS) =>
    checkInvariants({ url, schema, invariants, breaches, clock, logger, from: 0 })
  return {
    db,
    clock,
    connect: () => connect(url, schema),
    newJob,
    check: async (job = newJob()): Promise<unknown[]> => {
      await job.run(AbortSignal.timeout(10_000))
      return (await breaches.get()).values.map(({ labels, value }) => [labels['invariant'], value])
    },
    [Symbol.asyncDispose]: async () => {
      await db.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const WELL = INVARIANTS.map(({ name }) => [name, 0])
const BROKEN = [['no total is negative', 2], WELL[1]]
const BREAK = `insert into tally (uid, total, last_position) values ('a', -1, 1), ('b', -2, 1)`

test('a rule about the tables that is broken is counted until it is repaired', async () => {
  await using tally = await startChecking()
  expect(await tally.check()).toEqual(WELL)
  await tally.db.query(BREAK)
  expect(await tally.check()).toEqual(BROKEN)
  await tally.db.query('delete from tally')
  expect(await tally.check()).toEqual(WELL)
})

test('it runs again after an hour, and after five minutes when a rule is broken', async () => {
  await using tally = await startChecking()
  const later = (minutes: number) => tally.clock.pass(minutes * 60_000)
  const job = tally.newJob()
  expect(await tally.check(job)).toEqual(WELL)
  await tally.db.query(BREAK)
  later(50)
  expect(await tally.check(job)).toEqual(WELL)
  later(10)
  expect(await tally.check(job)).toEqual(BROKEN)
  await tally.db.query('delete from tally')
  later(2)
  expect(await tally.check(job)).toEqual(BROKEN)
  later(3)
  expect(await tally.check(job)).toEqual(WELL)
})

test('a stop does not wait for a check that runs', async () => {
  await using tally = await startChecking()
  const holder = await tally.connect()
  await holder.query('select pg_advisory_lock(1)')
  const endless = { name: 'waits for the lock', of: 'tally', sql: 'select pg_advisory_xact_lock(1)' }
  const running = startJob(tally.newJob([endless]), tally.clock, testLogger())
  const waiting = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  await eventually(async () => expect((await tally.db.query(waiting)).rowCount).toBe(1))
  await running.stop()
  await holder.end()
})

test('a stop while a check connects ends it too', async () => {
  await using tally = await startChecking()
  const ended = new AbortController()
  const run = tally.newJob([{ name: 'is slow', of: 'tally', sql: 'select pg_sleep(60)' }]).run(ended.signal)
  ended.abort()
  await expect(run).rejects.toThrow('abort')
})

test('a check that failed runs again after five minutes', async () => {
  await using tally = await startChecking()
  const job = tally.newJob([{ name: 'of a table that is away', of: 'away', sql: 'select uid from away' }])
  await expect(tally.check(job)).rejects.toThrow('"away" does not exist')
  tally.clock.pass(2 * 60_000)
  expect(await tally.check(job)).toEqual([])
  tally.clock.pass(3 * 60_000)
  await expect(tally.check(job)).rejects.toThrow('"away" does not exist')
})
