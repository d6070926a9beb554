import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { withOwnerConnection } from '@prelude/platform'
import { migratedDatabase, testLogger } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { AUDIT_SCHEMA, grantAuditing } from '../../prepare/audit-role.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { prelude } from '../support/run-command.ts'
import { openBlobs } from '@prelude/storage'
import { migrate, roleUrl } from '@prelude/platform/migrate'

const PASSWORD = 'test-role-password'

test('a backup of servers elsewhere needs no more than files with two addresses: of the auditor, and of the store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-elsewhere-'))
  await using database = await migratedDatabase(SERVICE_SCHEMAS, async (url) => {
    for (const spec of SERVICE_SCHEMAS) await migrate(url, spec, PASSWORD, testLogger())
  })
  const { adminUrl } = database
  await grantAuditing(adminUrl, PASSWORD)
  const query = <R extends object>(url: string, sql: string): Promise<R[]> =>
    withOwnerConnection(url, async (client) => (await client.query<R>(sql)).rows)
  await query(
    adminUrl,
    `insert into songs.event (id, key, type, version, at, correlation_id, data)
    select gen_random_uuid(), 'ada', 'SongUpdated', 1, 0, 'c', '{}' from generate_series(1, 3)`,
  )
  const blobsUrl = pathToFileURL(join(folder, 'blobs')).href
  await openBlobs(blobsUrl).put('songs/a', Readable.from([Buffer.from('audio')]), {
    sizeBytes: 5,
    contentType: 'audio/mpeg',
  })
  const auditUrl = roleUrl(adminUrl, AUDIT_SCHEMA, PASSWORD)
  await mkdir(join(folder, 'secrets'))
  await writeFile(join(folder, 'secrets', 'AUDIT_DATABASE_URL'), auditUrl)
  await writeFile(join(folder, 'secrets', 'BLOBS_URL'), blobsUrl)

  const env = { PATH: process.env['PATH'], SETTINGS_DIR: join(folder, 'secrets') }
  const backups = join(folder, 'backups')
  const began = Date.now()
  for (const _ of [1, 2])
    expect(prelude(env, ['backup', `--in=${backups}`, '--keep=7'])).toMatch(
      /\d+ rows and 1 objects are in \S+\/\d{4}-\d\d-\d\dT\d{6}, compared and checked/,
    )
  const names = await readdir(backups)
  expect(names).toHaveLength(2)
  const audio = names.map((name) => stat(join(backups, name, 'blobs', 'songs/a')))
  expect((await Promise.all(audio)).map(({ nlink }) => nlink)).toEqual([2, 2]) // one file
  const [recorded] = await query<{ at: number }>(
    adminUrl,
    `select taken_at as at from notifier.backup where kind = 'all'`,
  )
  expect(recorded?.at).toBeGreaterThanOrEqual(began)
  await expect(query(auditUrl, 'delete from songs.event')).rejects.toThrow('permission denied')
  await rm(folder, { recursive: true })
})
