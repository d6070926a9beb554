import { cp, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Song } from '@prelude/contracts'
import { KV_SCHEMA, migrate, type SchemaSpec, withOwnerConnection } from '@prelude/platform'
import { testDatabase, testLogger } from '@prelude/platform/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keptSecrets } from '../../embedded/secrets.ts'
import { withDatabase } from '../../embedded/with-database.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { somebody, type Somebody } from '../support/callers.ts'
import { useEverything } from './api/use-everything.ts'
import { type ProductProcess, startProductProcess } from '../support/product-process.ts'
import { prelude } from '../support/run-command.ts'
import { MP3 } from '../support/audio-files.ts'
import { describeSchemas, keepRelease, openLastRelease } from './last-release.ts'

/** Upgrades as in docs/operations/deploy.md, "Upgrade and rollback": from the last release, and to the next version. */

let product: ProductProcess
beforeAll(async () => {
  if (process.env['KEEP_RELEASE']) await keepRelease()
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'prelude-last-release-'))
  await openLastRelease(DATA_DIR)
  product = await startProductProcess({ RATE_LIMITS: 'off', DATA_DIR })
})
afterAll(() => product?.[Symbol.asyncDispose]())

const onDatabase = <T>(work: (adminUrl: string) => Promise<T>): Promise<T> =>
  withDatabase({ dataDir: product.dataDir, adminUrl: undefined }, work)

test('the data of the last release gets the schema of a new installation', async () => {
  await using fresh = await testDatabase()
  for (const spec of [...SERVICE_SCHEMAS, KV_SCHEMA])
    await migrate(fresh.adminUrl, spec, 'test-role-password', testLogger())
  const expected = await describeSchemas(fresh.adminUrl)
  expect(expected.length).toBeGreaterThan(300)
  expect(await onDatabase(describeSchemas)).toEqual(expected)
})

test('people of the last release find their songs, audio and credits', async () => {
  const email = await onDatabase((adminUrl) =>
    withOwnerConnection(adminUrl, async (client) => {
      const sql = `select email from gateway.user_record where name = 'Ada Obi'`
      return (await client.query<{ email: string }>(sql)).rows[0]!.email
    }),
  )
  const { call } = await somebody(product, { email })
  const { body: songs } = await call<{ items: Song[] }>('GET', '/api/songs')
  expect(songs.items.map(({ status }) => status)).toEqual(['ready', 'ready'])
  const { status, bytes } = await call('GET', `/api/songs/${songs.items[0]!.id}/versions/1`)
  expect([status, bytes.equals(MP3)]).toEqual([200, true])
  expect((await call<{ balance: number }>('GET', '/api/credits')).body.balance).toBe(15)
})

test('no event that the last release has handled has an effect again', () => {
  expect(prelude({ ...process.env, DATA_DIR: product.dataDir }, ['find-missed'])).toContain('No event')
})

test('a migration that adds columns under a running product fails no request and no event', async () => {
  const people = await Promise.all([somebody(product), somebody(product)])
  const using = keepUsing(people)
  await onDatabase(async (adminUrl) => {
    const { databaseRoles } = await keptSecrets(product.dataDir)
    for (const spec of [...SERVICE_SCHEMAS, KV_SCHEMA]) {
      const next = await nextVersionOf(adminUrl, spec, product.dataDir)
      await migrate(adminUrl, next, databaseRoles, testLogger())
    }
  })
  const statuses = await using.stop()
  expect(statuses.length).toBeGreaterThan(10)
  expect(new Set(statuses)).toEqual(new Set([200, 201]))
  // as after a rollback: a process of this version starts on the schema of the next
  await product.stop()
  await product.start()
  const ready = Object.values(product.endpoints.health).map((address) => fetch(`${address}/readyz`))
  expect((await Promise.all(ready)).map(({ status }) => status)).toEqual(ready.map(() => 200))
  await useEverything(product)
  expect(product.checkInvariants()).toContain(' 0 broken')
})

/** The service's migrations and one more, which adds a column to every table. */
async function nextVersionOf(adminUrl: string, spec: SchemaSpec, dir: string): Promise<SchemaSpec> {
  const folder = await mkdtemp(join(dir, 'next-'))
  const own = spec.migrations['migration']
  if (own) await cp(fileURLToPath(own), folder, { recursive: true })
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = $1 order by 1`,
    [spec.schema],
  )
  await client.end()
  expect(rows.length).toBeGreaterThan(0)
  const sql = rows.map(({ name }) => `alter table ${name} add column of_the_next_version text;\n`)
  await writeFile(join(folder, '9999-next-version.sql'), sql.join(''))
  return { ...spec, migrations: { ...spec.migrations, migration: pathToFileURL(`${folder}/`) } }
}

/** Submits and reads until `stop`; answers every status. */
function keepUsing(people: readonly Somebody[]): { stop(): Promise<number[]> } {
  const statuses: number[] = []
  let going = true
  const rounds = people.map(async ({ call }) => {
    while (going) {
      const json = { lyrics: 'la', style: 'folk' }
      statuses.push((await call('POST', '/api/songs', { json })).status)
      statuses.push((await call('GET', '/api/songs')).status, (await call('GET', '/api/credits')).status)
    }
  })
  return {
    stop: async () => {
      going = false
      await Promise.all(rounds)
      return statuses
    },
  }
}
