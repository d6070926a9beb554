import { cp, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { KV_SCHEMA, migrate, type SchemaSpec } from '@prelude/platform'
import { testLogger } from '@prelude/platform/testing'
import pg from 'pg'
import { expect, test } from 'vitest'
import { keptSecrets } from '../../embedded/secrets.ts'
import { withDatabase } from '../../embedded/with-database.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { somebody, type Somebody } from '../support/callers.ts'
import { useEverything } from './api/use-everything.ts'
import { startProductProcess } from '../support/product-process.ts'

/** Migrations of the next version run while this one serves (docs/operations.md, "Upgrade and rollback"). */

test(
  'a migration that adds columns under a running product fails no request and no event',
  { timeout: 120_000 },
  async () => {
    await using product = await startProductProcess({ RATE_LIMITS: 'off' })
    const people = await Promise.all([somebody(product), somebody(product)])
    await useEverything(product)
    const using = keepUsing(people)
    await withDatabase({ dataDir: product.dataDir, adminUrl: undefined }, async (adminUrl) => {
      const { databaseRoles } = await keptSecrets(product.dataDir)
      for (const spec of [...SERVICE_SCHEMAS, KV_SCHEMA]) {
        const next = await nextVersionOf(adminUrl, spec, product.dataDir)
        await migrate(adminUrl, next, databaseRoles, testLogger())
      }
    })
    const statuses = await using.stop()
    expect(statuses.length).toBeGreaterThan(10)
    expect(new Set(statuses)).toEqual(new Set([200, 201]))
    await useEverything(product)
    expect(product.checkInvariants()).toContain(' 0 broken')
  },
)

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
