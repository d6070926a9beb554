import { expect, test } from 'vitest'
import { gauge } from '../src/metrics/measures.ts'
import { checkInvariants } from '../src/ops/check-invariants.ts'
import { migrate, roleUrl } from '../src/postgres/migrate.ts'
import { postgresDatabase } from '../src/postgres/database.ts'
import { testDatabase, testLogger } from '../src/testing/index.ts'

const PASSWORD = 'test-role-password'
const INVARIANTS = [
  { name: 'no total is negative', of: 'tally', sql: 'select uid from tally where total < 0' },
  { name: 'all is in order', of: 'tally', sql: 'select uid from tally where not in_order' },
]

test('a sentence about the tables that does not hold is counted, until it does', async () => {
  await using database = await testDatabase()
  const logger = testLogger()
  const schema = 'sink'
  const migrations = new URL('tally/', import.meta.url)
  await migrate(database.adminUrl, { schema, migrations, withEvents: false }, PASSWORD, logger)
  const url = roleUrl(database.adminUrl, schema, PASSWORD)
  const db = postgresDatabase({ url, schema, logger })
  const breaches = gauge({ name: 'breaches', help: 'x', labelNames: ['invariant'] })
  const looked = async (): Promise<unknown[]> => {
    const job = checkInvariants({ url, schema, invariants: INVARIANTS, breaches, logger, from: 0 })
    await job.run(AbortSignal.timeout(10_000))
    return (await breaches.get()).values.map(({ labels, value }) => [labels['invariant'], value])
  }
  const well = INVARIANTS.map(({ name }) => [name, 0])
  expect(await looked()).toEqual(well)
  await db.query(`insert into tally (uid, total, last_seq) values ('a', -1, 1), ('b', -2, 1)`)
  expect(await looked()).toEqual([['no total is negative', 2], well[1]])
  await db.query('delete from tally')
  expect(await looked()).toEqual(well)
  await db.close()
})
