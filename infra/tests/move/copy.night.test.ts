import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { connectAsOwner, type SchemaSpec, withOwnerConnection } from '@prelude/platform'
import { migratedDatabase, testLogger } from '@prelude/platform/testing'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { StartError } from '../../embedded/start-error.ts'
import { copy, onMigratedCopy, type Servers } from '../../move/move.ts'
import { startPostgresServer } from '../servers/postgres.ts'
import { grantAuditing } from '../../prepare/audit-role.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { type BlobStore, openBlobs } from '@prelude/storage'
import { migrate } from '@prelude/platform/migrate'

/** Longer than a busy machine pauses between two statements. */
const IDLE_MS = 5_000
const OPTIONS = { ofRunning: true, quietly: false, bus: null }

const ADA = `insert into songs.event (id, key, type, version, at, correlation_id, data)
  values (gen_random_uuid(), 'ada', 'SongUpdated', 1, 0, 'c', '{}')`
const LOST = /^A connection was lost \(.+\): no rows were copied\. Run it again\.$/
const IS_EMPTY = `do $$ begin if exists (select from songs.event) then raise 'rows were copied'; end if; end $$`
const TERMINATE_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`
const TERMINATE_WAITING = `do $$ begin
  perform pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock';
  if not found then raise 'none waits'; end if; end $$`

const closing: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const PASSWORD = 'test-role-password'
async function prepare(adminUrl: string, schemas: readonly SchemaSpec[] = SERVICE_SCHEMAS): Promise<void> {
  for (const spec of schemas) await migrate(adminUrl, spec, PASSWORD, testLogger())
}

/** A prepared database of a server whose administrators lend no superuser: its owner may make roles and nothing more. */
async function managedSide(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-managed-'))
  closing.push(() => rm(folder, { recursive: true }))
  const server = await startPostgresServer({ dir: join(folder, 'server'), durable: false })
  closing.push(() => server.stop())
  await query(server.url, `create role owner login createrole password 'owner-password'`)
  await query(server.url, 'create database managed owner owner')
  const url = Object.assign(new URL(server.url), {
    username: 'owner',
    password: 'owner-password',
    pathname: '/managed',
  })
  await prepare(url.href)
  await grantAuditing(url.href, PASSWORD)
  return { adminUrl: url.href, blobs: openBlobs(pathToFileURL(join(folder, 'blobs')).href) }
}

/** A prepared database that ends idle transactions soon, and a folder of objects. */
async function side(schemas = SERVICE_SCHEMAS): Promise<Servers & { folder: string }> {
  const database = await migratedDatabase(schemas, (url) => prepare(url, schemas))
  const { adminUrl, [Symbol.asyncDispose]: drop } = database
  closing.push(drop)
  await query(
    adminUrl,
    `do $$ begin execute format(
    'alter database %I set idle_in_transaction_session_timeout = ${IDLE_MS}', current_database()); end $$`,
  )
  const folder = await mkdtemp(join(tmpdir(), 'prelude-copy-'))
  closing.push(() => rm(folder, { recursive: true }))
  return { adminUrl, folder, blobs: openBlobs(pathToFileURL(folder).href) }
}

const query = <R extends object>(adminUrl: string, sql: string): Promise<R[]> =>
  withOwnerConnection(adminUrl, async (client) => (await client.query<R>(sql)).rows)

/** The schemas of another version, whose migrations of one service are those that `change` leaves in the folder. */
async function otherVersion(schema: string, change: (folder: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-other-version-'))
  closing.push(() => rm(folder, { recursive: true }))
  return Promise.all(
    SERVICE_SCHEMAS.map(async (spec) => {
      const { migration } = spec.migrations
      if (spec.schema !== schema || !migration) return spec
      await cp(migration, folder, { recursive: true })
      await change(folder)
      return { ...spec, migrations: { ...spec.migrations, migration: pathToFileURL(`${folder}/`) } }
    }),
  )
}

/** Records the object as the first version of a song. */
const record = (adminUrl: string, path: string): Promise<unknown> =>
  query(
    adminUrl,
    `insert into storage.audio (path, id, state, song_id, version, take, original_name, format, size_bytes, sha256, duration_ms, bitrate, channels)
     values ('${path}', gen_random_uuid(), 'named', split_part('${path}', '/', 2), 1, 1, 'a.mp3', 'mp3', ${path.length},
       '${createHash('sha256').update(path).digest('hex')}', 1000, 1, 1)`,
  )

const put = (blobs: BlobStore, path: string): Promise<void> =>
  blobs.put(path, Readable.from([Buffer.from(path)]), {
    sizeBytes: path.length,
    contentType: 'audio/mpeg',
  })

async function paths(blobs: BlobStore): Promise<string[]> {
  const listed = await Array.fromAsync(blobs.list(''))
  return listed.map(({ path }) => path).toSorted()
}

test('audio is copied for longer than a transaction may idle, while objects come and go', async () => {
  const [source, target] = [await side(), await side()]
  for (const path of ['songs/a', 'songs/b']) await put(source.blobs, path)
  let copied = 0
  const slow: BlobStore = {
    ...source.blobs,
    get: async (path) => {
      const bytes = await source.blobs.get(path)
      if (copied++ === 0) {
        await delay(2 * IDLE_MS)
        await put(source.blobs, 'songs/new')
        await source.blobs.delete(path)
      }
      return bytes
    },
  }
  const { objects } = await copy({ ...source, blobs: slow }, target, OPTIONS)
  expect(objects).toBe(2)
  expect(await paths(target.blobs)).toEqual(await paths(source.blobs))
})

test('an owner who is no superuser fills a database, and reads it again', async () => {
  const [source, managed, again] = [await side(), await managedSide(), await side()]
  // batches of a thousand entries divide journals of three, which the ledger's trigger refuses
  await query(
    source.adminUrl,
    `set search_path to credits;
     with made as (
       insert into journal (kind, key, uid) select 'test', n, 'ada' from generate_series(1, 600) n returning id
     )
     insert into entry (journal_id, account, amount_cents, reason)
     select id, account, amount, 'test' from made, (values ('a', -2), ('b', 1), ('c', 1)) line (account, amount) order by id`,
  )
  const there = await copy(source, managed, OPTIONS)
  expect(there.rows).toBeGreaterThan(2_400)
  expect((await copy(managed, again, OPTIONS)).rows).toBe(there.rows)
  // the trigger is on again
  const unbalanced = `insert into credits.entry (journal_id, account, amount_cents, reason) select id, 'x', 1, 'x' from credits.journal limit 1`
  await expect(query(managed.adminUrl, unbalanced)).rejects.toThrow('do not sum to zero')
})

test('audio that an earlier copy has is not copied again', async () => {
  const [source, target] = [await side(), await side()]
  for (const path of ['songs/a', 'songs/b']) await put(source.blobs, path)
  const file = join(source.folder, 'songs/a')
  const earlier = async (path: string) => (path === 'songs/a' ? file : null)
  await copy(source, target, { ...OPTIONS, earlier })
  const inodes = await Promise.all(
    [source, target].flatMap(({ folder }) =>
      ['songs/a', 'songs/b'].map(async (path) => (await stat(join(folder, path))).ino),
    ),
  )
  expect([inodes[0] === inodes[2], inodes[1] === inodes[3]]).toEqual([true, false])
})

test.for(['source', 'target'] as const)(
  'a backend of the %s that is terminated in the middle ends the copy with one sentence, and no row is there',
  async (which) => {
    const [source, target] = [await side(), await side()]
    for (const path of ['songs/a', 'songs/b']) await put(source.blobs, path)
    await query(source.adminUrl, ADA)
    const { adminUrl } = which === 'source' ? source : target
    const blobs: BlobStore = {
      ...source.blobs,
      get: async (path) => {
        await query(adminUrl, TERMINATE_OTHERS)
        return source.blobs.get(path)
      },
    }
    const copying = copy({ ...source, blobs }, target, OPTIONS)
    await expect(copying).rejects.toThrow(LOST)
    await expect(copying).rejects.toBeInstanceOf(StartError)
    await query(target.adminUrl, IS_EMPTY)
  },
)

test('a backend that is terminated while rows are copied ends the copy with one sentence, and no row is there', async () => {
  const [source, target] = [await side(), await side()]
  await query(source.adminUrl, ADA)
  // the copy waits for the lock on a table until its backend is terminated
  const blocker = await connectAsOwner(source.adminUrl)
  closing.push(() => blocker.end())
  await blocker.query('set idle_in_transaction_session_timeout = 0; begin; lock table songs.song')
  const terminating = eventually(() => query(source.adminUrl, TERMINATE_WAITING))
  await expect(copy(source, target, OPTIONS)).rejects.toThrow(LOST)
  await terminating
  await query(target.adminUrl, IS_EMPTY)
})

test('what is wrong with the data is copied as it is, and named; a file that was damaged in an earlier copy is not taken', async () => {
  const [source, target, again] = [await side(), await side(), await side()]
  const [gone, whole] = ['songs/one/version1_gone', 'songs/two/version1_whole']
  for (const path of [gone, whole]) await record(source.adminUrl, path)
  await put(source.blobs, whole)
  const damaged = join(again.folder, 'damaged')
  await writeFile(damaged, 'x'.repeat(whole.length))
  const findings = [
    'storage: the takes of a song are of both versions: 2',
    'songs and storage agree which objects are takes: 2',
    `${gone}: missing`,
  ]
  const earlier = async () => damaged
  expect(await copy(source, target, { ...OPTIONS, earlier })).toMatchObject({ findings })
  expect(await readFile(join(target.folder, whole), 'utf8')).toBe(whole)
  expect(await copy(target, again, OPTIONS)).toMatchObject({ findings })
})

test('an object that goes after the snapshot is kept, since the snapshot names it', async () => {
  const [source, target] = [await side(), await side()]
  const path = 'songs/one/version1_replaced'
  await record(source.adminUrl, path)
  await put(source.blobs, path)
  let lists = 0
  const replaced: BlobStore = {
    ...source.blobs,
    async *list(prefix) {
      if (++lists === 2) await source.blobs.delete(path)
      yield* source.blobs.list(prefix)
    },
  }
  await copy({ ...source, blobs: replaced }, target, OPTIONS)
  expect(await paths(target.blobs)).toEqual([path])
})

test('a copy that hangs ends', async () => {
  const [source, target] = [await side(), await side()]
  await put(source.blobs, 'songs/a')
  const silent: BlobStore = { ...source.blobs, get: () => new Promise(() => {}) }
  const copying = copy({ ...source, blobs: silent }, target, { ...OPTIONS, withinMs: 1 })
  await expect(copying).rejects.toThrow('did not end in time')
})

test('a backup of the version before is restored with the migrations that it lacks, and stays as it is', async () => {
  const before = await otherVersion('storage', (folder) => rm(join(folder, '0002-older-takes.sql')))
  const [backup, target] = [await side(before), await side()]
  await query(
    backup.adminUrl,
    `insert into storage.analysis (song_id, uid, done) values ('one', 'ada', true);
     insert into storage.cursor (topic, partition, partitions, position) values ('prelude.songs', 0, 1, 7)`,
  )
  await expect(copy(backup, target, OPTIONS)).rejects.toThrow('storage.migration: 0002-older-takes')
  await onMigratedCopy(backup.adminUrl, { password: PASSWORD, logger: testLogger() }, (adminUrl) =>
    copy({ ...backup, adminUrl }, target, OPTIONS),
  )
  const ofTakes = 'select takes_position as at from storage.analysis'
  expect(await query(target.adminUrl, ofTakes)).toEqual([{ at: 7 }])
  await expect(query(backup.adminUrl, ofTakes)).rejects.toThrow('does not exist')
})

test('the data of the version after is backed up and restored without what only that version has, which is named', async () => {
  const after = await otherVersion('notifier', (folder) =>
    writeFile(
      join(folder, '9999-later.sql'),
      `alter table closed_account add column mood text not null default 'calm'; create table mood (name text primary key)`,
    ),
  )
  const [source, backup, later, restored] = [await side(after), await side(), await side(after), await side()]
  for (const { adminUrl } of [source, later])
    await query(adminUrl, `insert into notifier.closed_account values ('ada')`)
  const leftOut = ['notifier.closed_account.mood', 'notifier.mood']
  expect(await copy(source, backup, OPTIONS)).toMatchObject({ leftOut })
  await onMigratedCopy(later.adminUrl, { password: PASSWORD, logger: testLogger() }, async (adminUrl) =>
    expect(await copy({ ...later, adminUrl }, restored, OPTIONS)).toMatchObject({ leftOut }),
  )
  for (const { adminUrl } of [backup, restored])
    expect(await query(adminUrl, 'select uid from notifier.closed_account')).toEqual([{ uid: 'ada' }])
})
