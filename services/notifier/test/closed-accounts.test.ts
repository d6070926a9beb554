import { AccountClosed, SongLate } from '@prelude/contracts'
import { newId, type Query } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { startNotifier } from './start-notifier.ts'

/** For every table with people in it, a statement that stores a row about one. */
async function inserts(admin: Query, uid: string): Promise<Map<string, string>> {
  const { rows } = await admin.query<{ table: string; column: string; type: string }>(
    `select table_name as table, column_name as column, data_type as type from information_schema.columns
     where table_schema = 'notifier' and is_nullable = 'NO' and column_default is null and table_name <> 'closed_account'`,
  )
  const values: Record<string, string> = { uuid: 'gen_random_uuid()', bigint: '1', jsonb: `'{}'` }
  const valueOf = ({ column, type }: { column: string; type: string }): string =>
    column === 'uid' ? `'${uid}'` : (values[type] ?? 'gen_random_uuid()::text')
  const tables = [...Map.groupBy(rows, ({ table }) => table)].filter(([, columns]) =>
    columns.some(({ column }) => column === 'uid'),
  )
  return new Map(
    tables.map(([table, columns]) => [
      table,
      `insert into ${table} (${columns.map(({ column }) => column).join()}) values (${columns.map(valueOf).join()})`,
    ]),
  )
}

/** The tables that have rows about this person, but for the mail that confirms the closing. */
async function tablesWith(admin: Query, uid: string): Promise<string[]> {
  const found: string[] = []
  for (const table of (await inserts(admin, uid)).keys()) {
    const rest = table === 'message' ? `and kind <> 'account-closed'` : ''
    if ((await admin.query(`select from ${table} where uid = $1 ${rest}`, [uid])).rowCount > 0)
      found.push(table)
  }
  return found
}

test('nothing about a person is stored after the closing of the account, nor stays that is stored beside it', async () => {
  await using notifier = await startNotifier()
  const { admin, db } = notifier
  const statements = await inserts(admin, 'u1')
  expect(statements.size).toBe(6)
  const waiting = async (): Promise<number> =>
    (await admin.query(`select from pg_locks where locktype = 'advisory' and not granted`)).rowCount
  let closing: Promise<unknown> = Promise.resolve()
  await db.transaction(async (tx) => {
    for (const insert of statements.values()) await tx.query(insert)
    closing = notifier.deliver(AccountClosed, { uid: 'u1' })
    await eventually(async () => expect(await waiting()).toBeGreaterThan(0))
  })
  await closing
  expect(await tablesWith(admin, 'u1')).toEqual([])
  for (const insert of statements.values()) await db.query(insert)
  await notifier.deliver(SongLate, { songId: newId(), uid: 'u1' })
  expect(await tablesWith(admin, 'u1')).toEqual([])
})

test('what an earlier version left of a closed account is erased', async () => {
  await using notifier = await startNotifier()
  const { admin } = notifier
  await notifier.deliver(AccountClosed, { uid: 'u1' })
  for (const uid of ['u1', 'u2'])
    for (const [table, insert] of await inserts(admin, uid))
      await admin.query(`alter table ${table} disable trigger user; ${insert}`)
  expect(await tablesWith(admin, 'u1')).toHaveLength(6)
  await notifier.run('erase-closed-accounts')
  expect(await tablesWith(admin, 'u1')).toEqual([])
  expect(await tablesWith(admin, 'u2')).toHaveLength(6)
})
