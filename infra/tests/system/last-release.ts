import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { KV_SCHEMA, migrate, type SchemaSpec, withOwnerConnection } from '@prelude/platform'
import { testLogger } from '@prelude/platform/testing'
import type pg from 'pg'
import { startPostgres } from '../../embedded/postgres.ts'
import { keptSecrets } from '../../embedded/secrets.ts'
import { withDatabase } from '../../embedded/with-database.ts'
import { tablesOf } from '../../move/copy-tables.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { startProductProcess } from '../support/product-process.ts'
import { useEverything } from './api/use-everything.ts'

/**
 * The data of an installation of the last release: its migrations, all rows and the audio, as an archive.
 * `KEEP_RELEASE=yes npx vitest run infra/tests/system/upgrade` makes it, with the code of the release; it is
 * a step of a release.
 */

const LAST_RELEASE = '0.1.0'
const ARCHIVE = join(import.meta.dirname, `last-release-${LAST_RELEASE}.tar.gz`)
const ALL = [...SERVICE_SCHEMAS, KV_SCHEMA]

/** Unpacks it into an empty data folder, which a product of any later version starts on. */
export async function openLastRelease(dataDir: string): Promise<void> {
  execFileSync('tar', ['-xzf', ARCHIVE, '-C', dataDir])
  const { databaseRoles } = await keptSecrets(dataDir)
  const server = await startPostgres({ dataDir: join(dataDir, 'postgres') })
  try {
    for (const spec of ALL) {
      const folders = Object.entries(spec.migrations).map(
        ([table, now]) => [table, now, join(dataDir, 'migrations', spec.schema, table)] as const,
      )
      for (const [, now, then] of folders) await assertUnchanged(then, fileURLToPath(now))
      const migrations = Object.fromEntries(
        folders.map(([table, , then]) => [table, pathToFileURL(`${then}/`)]),
      )
      await migrate(server.adminUrl, { ...spec, migrations }, databaseRoles, testLogger())
    }
    const rows = await readFile(join(dataDir, 'rows.sql'), 'utf8')
    await withOwnerConnection(server.adminUrl, (client) => client.query(rows))
  } finally {
    await server.stop()
  }
}

async function assertUnchanged(then: string, now: string): Promise<void> {
  for (const file of await readdir(then)) {
    const text = await readFile(join(now, file), 'utf8').catch(() => null)
    if (text !== (await readFile(join(then, file), 'utf8')))
      throw new Error(
        `${join(now, file)} is not that of ${LAST_RELEASE}: add a migration instead. If ${LAST_RELEASE} is not released yet, keep it again: KEEP_RELEASE=yes npx vitest run infra/tests/system/upgrade`,
      )
  }
}

/** Everything that makes a schema what it is, but the order of columns and the rights, which every start states again. */
export const describeSchemas = (adminUrl: string): Promise<string[]> =>
  withOwnerConnection(adminUrl, async (client) => {
    const { rows } = await client.query<{ line: string }>(
      `with own as (select oid, nspname from pg_namespace where nspname = any($1))
       select concat_ws(' ', table_schema, table_name, column_name, data_type, is_nullable, column_default, generation_expression,
                        is_identity) as line
       from information_schema.columns where table_schema = any($1)
       union all select indexdef from pg_indexes where schemaname = any($1)
       union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(c.oid))
       from pg_constraint c join own on own.oid = connamespace
       union all select pg_get_functiondef(p.oid) from pg_proc p join own on own.oid = pronamespace
       union all select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class r on r.oid = tgrelid
       join own on own.oid = relnamespace where not tgisinternal
       union all select concat_ws(' ', own.nspname, relname, reloptions::text) from pg_class join own on own.oid = relnamespace
       where relkind = 'r'
       order by 1`,
      [ALL.map(({ schema }) => schema)],
    )
    return rows.map(({ line }) => line)
  })

/** Makes the archive from a new product that was used a little. */
export async function keepRelease(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-release-'))
  try {
    await using product = await startProductProcess({ RATE_LIMITS: 'off' })
    await useEverything(product)
    await product.stop()
    for (const spec of ALL) await copyMigrations(spec, join(folder, 'migrations', spec.schema))
    await withDatabase({ dataDir: product.dataDir, adminUrl: undefined }, (adminUrl) =>
      withOwnerConnection(adminUrl, async (client) =>
        writeFile(join(folder, 'rows.sql'), await rowsOf(client)),
      ),
    )
    await cp(join(product.dataDir, 'blobs'), join(folder, 'blobs'), { recursive: true })
    execFileSync('tar', ['-czf', ARCHIVE, '-C', folder, '.'])
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function copyMigrations({ migrations }: SchemaSpec, to: string): Promise<void> {
  for (const [table, from] of Object.entries(migrations)) {
    await mkdir(join(to, table), { recursive: true })
    for (const file of await readdir(from))
      if (file.endsWith('.sql')) await cp(join(fileURLToPath(from), file), join(to, table, file))
  }
}

/** Statements that fill migrated schemas. */
async function rowsOf(client: pg.Client): Promise<string> {
  const schemas = ALL.map(({ schema }) => schema)
  const tables = await tablesOf(client, schemas)
  // rows come in no order that references would allow; migrations may have inserted some
  const statements = ['begin', 'set local session_replication_role = replica']
  statements.push(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  for (const { name, columns } of tables) {
    const { rows } = await client.query<{ rows: string | null }>(
      `select json_agg(t)::text as rows from ${name} t`,
    )
    if (rows[0]?.rows)
      statements.push(
        `insert into ${name} (${columns.join()}) overriding system value
         select ${columns.join()} from json_populate_recordset(null::${name}, ${client.escapeLiteral(rows[0].rows)})`,
      )
  }
  const { rows: sequences } = await client.query<{ statement: string }>(
    `select format('select setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value) as statement
     from pg_sequences where schemaname = any($1) and last_value is not null`,
    [schemas],
  )
  return [...statements, ...sequences.map(({ statement }) => statement), 'commit'].join(';\n')
}
