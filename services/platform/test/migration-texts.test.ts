import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { testDatabase, testLogger } from './support/index.ts'
import { migrate } from '../migrate/index.ts'

test('a schema whose migration has changed since it ran is refused; new migrations and older versions are not', async () => {
  await using server = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'prelude-migrations-'))
  const write = (name: string, sql: string): Promise<void> => writeFile(join(folder, `${name}.sql`), sql)
  const run = () =>
    migrate(
      server.adminUrl,
      { schema: 'thing', migrations: { schema_migration: pathToFileURL(folder) } },
      'test-role-password',
      testLogger(),
    )
  try {
    await write('0001-thing', 'create table thing (id int);')
    await run()
    await write('0002-more', 'create table more (id int);')
    await run()
    await rm(join(folder, '0002-more.sql')) // the older version again
    await run()
    await write('0002-more', 'create table more (id int);')
    await run()
    await write('0001-thing', 'create table thing (id bigint);')
    await expect(run()).rejects.toThrow('another 0001-thing in thing')
  } finally {
    await rm(folder, { recursive: true })
  }
})
