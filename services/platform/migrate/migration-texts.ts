import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { ConfigError } from '../src/index.ts'

/** Hashes of the migrations that made a schema, by name: kept as the comment on the table that names them. */
type Hashes = Readonly<Record<string, string>>

const MIGRATION = /^\d{4}-.+\.sql$/

/** One of the folders of a schema, and the table that names what ran of it. */
export interface MigrationFolder {
  readonly schema: string
  readonly table: string
  readonly folder: URL
}

/**
 * A migration that ran must not have changed since: its schema would lack what this version expects of it, and only some
 * requests would fail. Errors: ConfigError, with a sentence for those who run the product.
 */
export async function assertSameMigrations(client: pg.Client, place: MigrationFolder): Promise<void> {
  const { schema, table, folder } = place
  const then = await readHashes(client, place)
  if (then === null) return
  const now = await hashesIn(folder)
  const { rows } = await client.query<{ name: string }>(`select name from ${schema}.${table}`)
  const changed = rows.map(({ name }) => name).find((name) => name in now && now[name] !== then[name])
  if (changed !== undefined)
    throw new ConfigError(
      `This data was made by a version with another ${changed} in ${schema}, and cannot be brought up to date: begin with a new data folder or database.`,
    )
}

/** Keeps the hashes of this version's migrations, which have run, beside those of others. */
export async function recordMigrations(client: pg.Client, place: MigrationFolder): Promise<void> {
  const hashes = { ...(await readHashes(client, place)), ...(await hashesIn(place.folder)) }
  const text = client.escapeLiteral(JSON.stringify(hashes))
  await client.query(`comment on table ${place.schema}.${place.table} is ${text}`)
}

/** Null when there is no such table. */
async function readHashes(client: pg.Client, { schema, table }: MigrationFolder): Promise<Hashes | null> {
  const { rows } = await client.query<{ exists: boolean; hashes: string | null }>(
    `select to_regclass($1) is not null as exists, obj_description(to_regclass($1), 'pg_class') as hashes`,
    [`${schema}.${table}`],
  )
  return rows[0]?.exists ? (JSON.parse(rows[0].hashes ?? '{}') as Hashes) : null
}

async function hashesIn(folder: URL): Promise<Hashes> {
  const path = fileURLToPath(folder)
  const files = (await readdir(path)).filter((file) => MIGRATION.test(file))
  const entries = files.map(async (file) => {
    const hash = createHash('sha256').update(await readFile(join(path, file)))
    return [file.replace(/\.sql$/, ''), hash.digest('hex')]
  })
  return Object.fromEntries(await Promise.all(entries)) as Hashes
}
