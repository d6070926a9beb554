import type pg from 'pg'
import { StartError } from '../embedded/start-error.ts'

const ROWS_AT_ONCE = 1_000
/** Migrations were made by the same step on both sides; instances are the processes of one side. */
const NOT_COPIED = new Set(['migration', 'event_migration', 'instance'])

interface Table {
  /** Quoted, with its schema. */
  readonly name: string
  /** Quoted. */
  readonly columns: readonly string[]
}

/** Errors: StartError when the source lacks a migration of the target, or the target is used already. */
export async function assertCopyable(
  source: pg.Client,
  target: pg.Client,
  schemas: readonly string[],
): Promise<void> {
  await assertMigrated(source, target, schemas)
  await assertUnused(target, schemas)
}

/**
 * Copies every row of these schemas in one transaction that the caller holds on both sides: all or nothing. Tables and columns
 * that the target does not have, since the source was migrated by a later version, are left out. Answers the number of rows,
 * and what was left out. Errors: StartError when what arrived is not what was sent.
 */
export async function copyTables(
  source: pg.Client,
  target: pg.Client,
  schemas: readonly string[],
): Promise<{ rows: number; leftOut: string[] }> {
  const tables = await referencedFirst(target, await tablesOf(target, schemas))
  const leftOut = (await tablesOf(source, schemas)).flatMap(({ name, columns }) => {
    const table = name.replaceAll('"', '')
    const known = tables.find((one) => one.name === name)?.columns
    return known ? columns.filter((one) => !known.includes(one)).map((one) => `${table}.${one}`) : [table]
  })
  await target.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  let rows = 0
  for (const table of tables) {
    // Rows were checked where they come from, and come in other batches. Only a superuser may set session_replication_role.
    await target.query(`alter table ${table.name} disable trigger user`)
    rows += await copy(source, target, table)
    await target.query(`alter table ${table.name} enable trigger user`)
  }
  await copySequences(source, target, schemas)
  return { rows, leftOut }
}

async function tablesOf(client: pg.Client, schemas: readonly string[]): Promise<Table[]> {
  const { rows } = await client.query<{ schema: string; table: string; columns: string[] }>(
    `select t.table_schema as schema, t.table_name as table,
            array_agg(quote_ident(c.column_name) order by c.ordinal_position) as columns
     from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
     where t.table_schema = any($1) and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
     group by 1, 2 order by 1, 2`,
    [schemas],
  )
  return rows
    .filter(({ table }) => !NOT_COPIED.has(table))
    .map(({ schema, table, columns }) => ({ name: `"${schema}"."${table}"`, columns }))
}

/** Each table after those that it references. */
async function referencedFirst(client: pg.Client, tables: readonly Table[]): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; references: string }>(
    `select format('"%s"."%s"', here.relnamespace::regnamespace, here.relname) as name,
            format('"%s"."%s"', there.relnamespace::regnamespace, there.relname) as references
     from pg_constraint c join pg_class here on here.oid = c.conrelid join pg_class there on there.oid = c.confrelid
     where c.contype = 'f' and c.conrelid <> c.confrelid`,
  )
  const ordered = new Set<Table>()
  const add = (table: Table): void => {
    for (const { name, references } of rows)
      if (name === table.name) tables.filter((one) => one.name === references).forEach(add)
    ordered.add(table)
  }
  tables.forEach(add)
  return [...ordered]
}

/** A migration may change rows, so it runs before they are copied, or it never would. */
async function assertMigrated(
  source: pg.Client,
  target: pg.Client,
  schemas: readonly string[],
): Promise<void> {
  const migrations = async (client: pg.Client): Promise<string[]> => {
    const tables = schemas.flatMap((schema) => [`${schema}.migration`, `${schema}.event_migration`])
    const names = tables.map((table) => `select '${table}: ' || name as name from ${table}`)
    return (await client.query<{ name: string }>(names.join(' union all '))).rows.map(({ name }) => name)
  }
  const here = new Set(await migrations(source))
  const [missing] = (await migrations(target)).filter((name) => !here.has(name))
  if (missing !== undefined)
    throw new StartError(
      `The database here is of an earlier version of Prelude than the one there (${missing}): prepare it, or use that version.`,
    )
}

/** Every sign-in, payment and submit leaves an event. */
async function assertUnused(target: pg.Client, schemas: readonly string[]): Promise<void> {
  for (const schema of schemas) {
    const { rowCount } = await target.query(`select 1 from "${schema}".event limit 1`)
    if (rowCount) throw new StartError('The database there is in use already; nothing was copied.')
  }
}

async function copy(source: pg.Client, target: pg.Client, { name, columns }: Table): Promise<number> {
  const list = columns.join(', ')
  const from = `(select ${list} from ${name}) t`
  await source.query(`declare rows no scroll cursor for select row_to_json(t)::text as row from ${from}`)
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`fetch ${ROWS_AT_ONCE} from rows`)
    if (rows.length === 0) break
    await target.query(
      `insert into ${name} (${list}) overriding system value
       select ${list} from json_populate_recordset(null::${name}, $1::json)`,
      [`[${rows.map(({ row }) => row).join(',')}]`],
    )
  }
  await source.query('close rows')
  const [sent, arrived] = [await digestOf(source, from), await digestOf(target, from)]
  if (sent.digest !== arrived.digest || sent.count !== arrived.count)
    throw new StartError(`${name} arrived with ${arrived.count} rows that are not the ${sent.count} sent.`)
  return sent.count
}

/** Of all rows, whatever their order. */
async function digestOf(client: pg.Client, from: string): Promise<{ count: number; digest: string }> {
  const { rows } = await client.query<{ count: number; digest: string }>(
    `select count(*)::int as count, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as digest from ${from}`,
  )
  return rows[0] ?? { count: 0, digest: '' }
}

async function copySequences(
  source: pg.Client,
  target: pg.Client,
  schemas: readonly string[],
): Promise<void> {
  const { rows } = await target.query<{ name: string }>(
    // those of identity columns too, which information_schema leaves out
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname = any($1)`,
    [schemas],
  )
  for (const { name } of rows) {
    const { rows: state } = await source.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${name}`,
    )
    await target.query('select setval($1, $2::bigint, $3)', [name, state[0]?.last, state[0]?.called])
  }
}
