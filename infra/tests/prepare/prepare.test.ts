import { testDatabase, testLogger } from '@prelude/platform/testing'
import pg from 'pg'
import { expect, test } from 'vitest'
import { prepare } from '../../prepare/prepare.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { KV_SCHEMA } from '@prelude/gateway'

/** Roles belong to the whole server, which all tests share, so every test sets the same password. */
const PASSWORD = 'test-role-password'

function addressesOn(adminUrl: string) {
  const addressOf = (schema: string): string => {
    const url = new URL(adminUrl)
    url.username = `prelude_${schema}`
    url.password = PASSWORD
    return url.href
  }
  const databaseUrls = Object.fromEntries(SERVICE_SCHEMAS.map(({ schema }) => [schema, addressOf(schema)]))
  return {
    adminUrl,
    busUrl: addressOf('bus'),
    kvUrl: addressOf('kv'),
    auditUrl: addressOf('audit'),
    monitorUrl: addressOf('monitor'),
    databaseUrls,
  }
}

async function ask<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

const DENIED = /permission denied/

test('every service can use its own schema, and neither read nor write that of any other', async () => {
  await using database = await testDatabase()
  const given = addressesOn(database.adminUrl)
  await prepare(given, testLogger())
  const schemas = Object.keys(given.databaseUrls)
  const refusals: string[] = []
  for (const [own, url] of Object.entries(given.databaseUrls)) {
    expect(await ask(url, `select count(*)::int as n from ${own}.event`)).toEqual([{ n: 0 }])
    await expect(ask(url, `create table ${own}.mine (id int)`)).rejects.toThrow(DENIED)
    for (const other of schemas.filter((schema) => schema !== own)) {
      await expect(ask(url, `select 1 from ${other}.event`)).rejects.toThrow(DENIED)
      await expect(ask(url, `insert into ${other}.event (key) values ('eve')`)).rejects.toThrow(DENIED)
      await expect(ask(url, `select ${other}.append_events('[]')`)).rejects.toThrow(DENIED)
      // a function is also found by its name alone
      await expect(ask(url, `set search_path to ${other}; select append_events('[]')`)).rejects.toThrow(
        /does not exist|permission denied/,
      )
      refusals.push(`${own} to ${other}`)
    }
  }
  expect(refusals).toHaveLength(schemas.length * (schemas.length - 1))
  expect(refusals).toContain('notifier to payments')
})

test('the role of the embedded bus can read the event logs and nothing else', async () => {
  await using database = await testDatabase()
  const given = addressesOn(database.adminUrl)
  await prepare(given, testLogger())
  for (const { schema } of SERVICE_SCHEMAS) {
    expect(await ask(given.busUrl, `select count(*)::int as n from ${schema}.event`)).toEqual([{ n: 0 }])
    const forge = `insert into ${schema}.event (key) values ('eve')`
    await expect(ask(given.busUrl, forge)).rejects.toThrow(DENIED)
  }
  await expect(ask(given.busUrl, 'select 1 from songs.song')).rejects.toThrow(DENIED)
})

test("the role of PostgreSQL's exporter sees statistics of all sessions and no table", async () => {
  await using database = await testDatabase()
  const given = addressesOn(database.adminUrl)
  await prepare(given, testLogger())
  const mine = `select query <> '<insufficient privilege>' as seen from pg_stat_activity
                where usename <> 'prelude_monitor' and backend_type = 'client backend' limit 1`
  const owner = new pg.Client({ connectionString: database.adminUrl })
  await owner.connect()
  expect(await ask(given.monitorUrl, mine)).toEqual([{ seen: true }])
  await owner.end()
  for (const table of ['songs.song', 'credits.event', 'kv.entry'])
    await expect(ask(given.monitorUrl, `select 1 from ${table}`)).rejects.toThrow(/permission denied/)
})

test('prepare can run again, and several times at once', async () => {
  await using database = await testDatabase()
  const given = addressesOn(database.adminUrl)
  await Promise.all(Array.from({ length: 4 }, () => prepare(given, testLogger())))
  await prepare(given, testLogger())
  const schemas = await ask<{ n: number }>(
    database.adminUrl,
    `select count(*)::int as n from pg_namespace where nspname in (${[...SERVICE_SCHEMAS, KV_SCHEMA].map(({ schema }) => `'${schema}'`).join(',')})`,
  )
  expect(schemas).toEqual([{ n: SERVICE_SCHEMAS.length + 1 }])
})

test('an address with the role of another service is refused', async () => {
  await using database = await testDatabase()
  const given = addressesOn(database.adminUrl)
  const wrong = {
    ...given,
    databaseUrls: { ...given.databaseUrls, songs: given.databaseUrls['credits'] ?? '' },
  }
  await expect(prepare(wrong, testLogger())).rejects.toThrow('the address of songs must name prelude_songs')
})
