import type pg from 'pg'
import { StartError } from '../embedded/start-error.ts'

const ROWS_AT_ONCE = 1_000
/** Migrations were made by the same step on both sides; instances are the processes of one side. */
const NOT_COPIED = new Set(['migration', 'event_migration', 'instance'])

export interface Table {
  /** Quoted, with its schema. */
  readonly name: string
  readonly columns: string
}

/** Errors: StartError when the target was made by another version, or is used already. */
export async function assertCopyable(
  source: pg.Client,
  target: pg.Client,
  schemas: readonly string[],
): Promise<void> {
  await assertSame(source, target, schemas)
  await assertUnused(target, schemas)
}

/**
 * Copies every row of these schemas in one transaction that the caller holds on both sides: all or nothing. Answers how
 * many rows each table has. Errors: StartError when what arrived is not what was sent.
 */
export async function copyTables(
  source: pg.Client,
  target: pg.Client,
  schemas: readonly string[],
): Promise<Map<string, number>> {
  const tables = await referencedFirst(target, await tablesOf(source, schemas))
  await target.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  const counts = new Map<string, number>()
  for (const table of tables) {
    // Rows were checked where they come from, and come in other batches. Only a superuser may set session_replication_role.
    await target.query(`alter table ${table.name} disable trigger user`)
    counts.set(table.name, await copy(source, target, table))
    await target.query(`alter table ${table.name} enable trigger user`)
  }
  await copySequences(source, target, schemas)
  return counts
}

export async function tablesOf(client: pg.Client, schemas: readonly string[]): Promise<Table[]> {
  const { rows } = await client.query<{ schema: string; table: string; columns: string }>(
    `select t.table_schema as schema, t.table_name as table,
            string_agg(quote_ident(c.column_name), ', ' order by c.ordinal_position) as columns
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

async function assertSame(source: pg.Client, target: pg.Client, schemas: readonly string[]): Promise<void> {
  const [here, there] = [await tablesOf(source, schemas), await tablesOf(target, schemas)]
  if (JSON.stringify(there) !== JSON.stringify(here))
    throw new StartError('The database there was not prepared by this version of Prelude.')
}

/** Every sign-in, payment and submit leaves an event. */
async function assertUnused(target: pg.Client, schemas: readonly string[]): Promise<void> {
  for (const schema of schemas) {
    const { rowCount } = await target.query(`select 1 from "${schema}".event limit 1`)
    if (rowCount) throw new StartError('The database there is in use already; nothing was copied.')
  }
}

async function copy(source: pg.Client, target: pg.Client, { name, columns }: Table): Promise<number> {
  await source.query(`declare rows no scroll cursor for select row_to_json(t)::text as row from ${name} t`)
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`fetch ${ROWS_AT_ONCE} from rows`)
    if (rows.length === 0) break
    await target.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
      [`[${rows.map(({ row }) => row).join(',')}]`],
    )
  }
  await source.query('close rows')
  const [sent, arrived] = [await digestOf(source, name), await digestOf(target, name)]
  if (sent.digest !== arrived.digest || sent.count !== arrived.count)
    throw new StartError(`${name} arrived with ${arrived.count} rows that are not the ${sent.count} sent.`)
  return sent.count
}

/** Of all rows, whatever their order. */
async function digestOf(client: pg.Client, name: string): Promise<{ count: number; digest: string }> {
  const { rows } = await client.query<{ count: number; digest: string }>(
    `select count(*)::int as count, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as digest from ${name} t`,
  )
  return rows[0] ?? { count: 0, digest: '' }
}

async function copySequences(
  source: pg.Client,
  target: pg.Client,
  schemas: readonly string[],
): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
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
