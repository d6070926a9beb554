import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { postgresDatabase, type PostgresDatabase } from '../src/database/index.ts'
import { testClock, testDatabase, testLogger } from './support/index.ts'
import type { TestDatabase } from './support/test-database.ts'

const HOUR_MS = 60 * 60_000

let database: TestDatabase
let db: PostgresDatabase
beforeAll(async () => {
  database = await testDatabase()
  db = postgresDatabase({ url: database.adminUrl, schema: 'public', logger: testLogger() })
})
afterAll(async () => {
  await db.close()
  await database[Symbol.asyncDispose]()
})

describe('the clock', () => {
  test("the database's time goes on inside a transaction, in whole milliseconds", async () => {
    const [before, after] = await db.transaction(async (tx) => {
      const first = await systemClock.databaseNow(tx)
      await tx.query('select pg_sleep(0.01)')
      return [first, await systemClock.databaseNow(tx)]
    })
    expect(Number.isSafeInteger(before)).toBe(true)
    expect(after).toBeGreaterThan(before)
  })

  test('a wait ends when its signal aborts, also before it begins', async () => {
    const abort = new AbortController()
    const waiting = systemClock.wait(HOUR_MS, abort.signal)
    abort.abort()
    await waiting
    await systemClock.wait(HOUR_MS, abort.signal)
  })
})

describe('the clock of tests', () => {
  test('a process reads the time of its database, unless they are a minute apart', async () => {
    for (const ms of [50_000, -50_000, 70_000, -70_000]) {
      const clock = testClock()
      clock.drift(ms)
      const reading = clock.databaseNow(db)
      if (Math.abs(ms) < 60_000) expect(Math.sign(clock.now() - (await reading))).toBe(Math.sign(ms))
      else
        await expect(reading).rejects.toThrow('the clocks of this process and of its database are 70 s apart')
    }
  })

  test('both times are moved', async () => {
    const clock = testClock(0)
    clock.pass(HOUR_MS)
    expect(Math.floor(clock.now() / HOUR_MS)).toBe(1)
    expect(Math.floor((await clock.databaseNow(db)) / HOUR_MS)).toBe(1)
  })

  test('the waits that are due end, the others go on', async () => {
    const clock = testClock()
    const ended: string[] = []
    const abort = new AbortController()
    const short = clock.wait(HOUR_MS).then(() => ended.push('short'))
    const long = clock.wait(3 * HOUR_MS, abort.signal).then(() => ended.push('long'))
    clock.pass(HOUR_MS)
    await short
    expect(ended).toEqual(['short'])
    abort.abort()
    await long
  })
})
