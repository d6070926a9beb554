import { testDatabase, testLogger } from '@prelude/platform/testing'
import pg from 'pg'
import { expect, test } from 'vitest'
import { prepare } from '../../prepare/prepare.ts'
import { KV_SCHEMA } from '@prelude/platform'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'

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

test('every service can use its own schema and cannot read that of another', async () => {
  await using database = await testDatabase()
  const given = addressesOn(database.adminUrl)
  await prepare(given, testLogger())
  for (const [schema, url] of Object.entries(given.databaseUrls)) {
    const other = schema === 'songs' ? 'credits' : 'songs'
    expect(await ask(url, `select count(*)::int as n from ${schema}.event`)).toEqual([{ n: 0 }])
    await expect(ask(url, `select 1 from ${other}.event`)).rejects.toThrow(/permission denied/)
    const forge = `select append_events('[]')`
    await expect(ask(url, `insert into ${other}.event (key) values ('eve')`)).rejects.toThrow(
      /permission denied/,
    )
    await expect(ask(url, `set search_path to ${other}; ${forge}`)).rejects.toThrow(
      /does not exist|permission denied/,
    )
    await expect(ask(given.busUrl, `insert into ${schema}.event (key) values ('eve')`)).rejects.toThrow(
      /permission denied/,
    )
    await expect(ask(url, `create table ${schema}.mine (id int)`)).rejects.toThrow(/permission denied/)
  }
})

test('the role of the embedded bus can read the event logs and nothing else', async () => {
  await using database = await testDatabase()
  const given = addressesOn(database.adminUrl)
  await prepare(given, testLogger())
  for (const { schema } of SERVICE_SCHEMAS)
    expect(await ask(given.busUrl, `select count(*)::int as n from ${schema}.event`)).toEqual([{ n: 0 }])
  await expect(ask(given.busUrl, 'select 1 from songs.song')).rejects.toThrow(/permission denied/)
})

test('prepare can run again, and several times at once', async () => {
  await using database = await testDatabase()
  const given = addressesOn(database.adminUrl)
  await Promise.all(Array.from({ length: 12 }, () => prepare(given, testLogger())))
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
