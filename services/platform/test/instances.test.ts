import { systemClock } from '../src/clock.ts'
import { eventSchemaOf, type Subscription } from '../src/events/index.ts'
import { expect, test } from 'vitest'
import { createHealthChecks } from '../src/host/health-checks.ts'
import { createInstances, type Instances } from '../src/host/ops/instances.ts'
import { postgresDatabase } from '../src/database/database.ts'
import { testDatabase, testLogger } from './support/index.ts'
import { migrate, roleUrl } from '../migrate/index.ts'

const PASSWORD = 'test-role-password'

test('any instance answers for all; a silent one is missing, one that ended is not', async () => {
  await using database = await testDatabase()
  const logger = testLogger()
  const schema = 'credits'
  await migrate(database.adminUrl, eventSchemaOf(schema), PASSWORD, logger)
  const db = postgresDatabase({ url: roleUrl(database.adminUrl, schema, PASSWORD), schema, logger })
  const instance = (id: string): Instances =>
    createInstances({
      db,
      clock: systemClock,
      id,
      health: createHealthChecks([{ name: 'database', needed: true, ping: async () => {} }], systemClock),
      subscription: { sinceAttemptMs: () => 1.5 } as Subscription,
      leads: () => id === 'here:1',
      failingJobs: () => [],
      notes: () => null,
    })
  const report = (one: Instances) => one.job.run()
  const [first, second] = [instance('here:1'), instance('here:2')]
  await report(first)
  await report(second)
  for (const { attemptAt } of await second.list()) expect(Number.isInteger(attemptAt)).toBe(true)
  const listed = async () => (await second.list()).map(({ id, leads }) => [id, leads])
  expect(await listed()).toEqual([
    ['here:1', true],
    ['here:2', false],
  ])
  await first.leave()
  expect(await listed()).toEqual([['here:2', false]])
  await db.close()
})
