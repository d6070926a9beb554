import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import type pg from 'pg'
import { PLANNING, SESSION_LIMITS } from '../src/database/connection.ts'
import { type Logger, type SchemaSpec, withOwnerConnection } from '../src/index.ts'
import { assertSameMigrations, type MigrationFolder, recordMigrations } from './migration-texts.ts'

/** A migration that waits for a table lock blocks all later statements on the table, so it gives up soon and retries. */
const LOCK_WITHIN_MS = 200
const PAUSE_MS = 100
const TRIES = 200
const LOCK_CONFLICTS = new Set(['55P03', '40P01']) // a lock timeout, a deadlock

/** The database role a service runs under; it owns nothing and sees its own schema only. */
export const roleOf = (schema: string): string => `prelude_${schema}`

/**
 * Brings a schema up to date and (re)states what its role may do: an explicit step, run as the database's owner before
 * services start. Safe to run twice and at once (advisory lock), and while an older version serves: it waits for no table
 * lock longer than a request may. Errors: ConfigError when a migration that ran has changed since; the failing statement's.
 */
export const migrate = (
  adminUrl: string,
  spec: SchemaSpec,
  password: string,
  logger: Logger,
): Promise<void> =>
  withOwnerConnection(adminUrl, async (client) => {
    await lockSchemas(client)
    await client.query(`create schema if not exists ${spec.schema}`)
    await client.query(`set search_path to ${spec.schema}`)
    await client.query(`set lock_timeout to ${LOCK_WITHIN_MS}`)
    for (const [table, folder] of Object.entries(spec.migrations)) {
      const place = { schema: spec.schema, table, folder }
      await assertSameMigrations(client, place)
      await withRetry(client, () => up(client, place, logger))
      await withRetry(client, () => recordMigrations(client, place))
    }
    await withRetry(client, () => grant(client, spec, password))
  })

/** Until the connection ends: two that change schemas or grants at once fail on the same row of the catalog. */
export const lockSchemas = async (client: pg.Client): Promise<void> => {
  await client.query('select pg_advisory_lock(hashtext($1))', ['prelude-migrate'])
}

/** Each try is one transaction, so one that failed has left nothing. */
async function withRetry(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      await client.query('rollback')
      const state = (error as pg.DatabaseError).code ?? ''
      if (!LOCK_CONFLICTS.has(state) || attempt === TRIES) throw error
      await delay(PAUSE_MS)
    }
  }
}

async function up(
  client: pg.Client,
  { schema, table, folder }: MigrationFolder,
  logger: Logger,
): Promise<void> {
  await runner({
    dbClient: client,
    dir: fileURLToPath(folder),
    direction: 'up',
    schema,
    migrationsSchema: schema,
    migrationsTable: table,
    noLock: true, // held above, for all schemas at once
    checkOrder: true,
    count: Number.POSITIVE_INFINITY,
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message: string) => logger.warn(message),
      error: (message: string) => logger.error(message),
    },
  })
}

/** Roles belong to the whole server, beyond the lock of one database: the loser of a race retries. */
export async function ensureRole(client: pg.Client, role: string, password: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role])
      const secret = client.escapeLiteral(password)
      await client.query(`${rowCount ? 'alter' : 'create'} role ${role} login password ${secret}`)
      return
    } catch (error) {
      const state = (error as pg.DatabaseError).code ?? ''
      if (!['23505', '42710', 'XX000'].includes(state) || attempt === 10) throw error
    }
  }
}

async function grant(client: pg.Client, spec: SchemaSpec, password: string): Promise<void> {
  const role = roleOf(spec.schema)
  const { schema } = spec
  await ensureRole(client, role, password)
  await client.query('begin')
  await client.query(`grant usage on schema ${schema} to ${role}`)
  await client.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`)
  await client.query(`grant usage, select on all sequences in schema ${schema} to ${role}`)
  for (const table of spec.appendOnly ?? [])
    await client.query(`revoke update, delete, truncate on ${schema}.${table} from ${role}`)
  await client.query('commit')
  await setDefaults(client, role, schema)
}

/** Of the role's sessions in this database: one through a transaction pooler cannot bring its own. */
async function setDefaults(client: pg.Client, role: string, schema: string): Promise<void> {
  const database = client.escapeIdentifier(client.database ?? '')
  const defaults = { search_path: schema, ...PLANNING, ...SESSION_LIMITS }
  for (const [name, value] of Object.entries(defaults))
    await client.query(`alter role ${role} in database ${database} set ${name} = ${value}`)
}

/** The address under which a schema's role connects to the same server. */
export function roleUrl(adminUrl: string, schema: string, password: string): string {
  const url = new URL(adminUrl)
  url.username = roleOf(schema)
  url.password = password
  return url.href
}
