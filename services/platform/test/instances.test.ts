import { systemClock } from '../src/clock.ts'
import { eventSchemaOf, type Subscription } from '../src/events/index.ts'
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createHealthChecks } from '../src/host/health-checks.ts'
import { createInstances, type Instances } from '../src/host/ops/instances.ts'
import { postgresDatabase } from '../src/database/database.ts'
import { testDatabase, testLogger } from './support/index.ts'
import { migrate, roleUrl } from '../migrate/index.ts'

const PASSWORD = 'test-role-password'

test('any instance answers for all; a silent one is missing, one that ended or was replaced on this machine is not', async () => {
  await using database = await testDatabase()
  const logger = testLogger()
  const schema = 'credits'
  await migrate(database.adminUrl, eventSchemaOf(schema), PASSWORD, logger)
  const db = postgresDatabase({ url: roleUrl(database.adminUrl, schema, PASSWORD), schema, logger })
  const instance = (id: string): Instances =>
    createInstances({
      db,
      clock: systemClock,
      id: () => id,
      health: createHealthChecks([{ name: 'database', needed: true, ping: async () => {} }], systemClock),
      subscription: { sinceAttemptMs: () => 1.5 } as Subscription,
      leads: () => id === 'here:1',
      failingJobs: () => [],
      notes: () => null,
    })
  const report = (one: Instances) => one.job.run(AbortSignal.timeout(10_000))
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

  const { pid: gone } = spawnSync('true')
  const left = (id: string) =>
    db.query(`insert into instance select $1, seen_at, report || $2 from instance where id = 'here:2'`, [
      id,
      JSON.stringify({ id, pid: gone }),
    ])
  await left('here:3')
  await left('elsewhere:3')
  await report(instance('here:4'))
  expect((await listed()).map(([id]) => id)).toEqual(['elsewhere:3', 'here:2', 'here:4'])
  await db.close()
})
