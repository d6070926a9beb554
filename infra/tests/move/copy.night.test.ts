import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type BlobStore, connectAsOwner, migrate, open, withOwnerConnection } from '@prelude/platform'
import { migratedDatabase, testLogger } from '@prelude/platform/testing'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { StartError } from '../../embedded/start-error.ts'
import { copy, type Servers } from '../../move/move.ts'
import { startPostgresServer } from '../../native/postgres.ts'
import { grantAuditing } from '../../prepare/audit-role.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'

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

async function prepare(adminUrl: string): Promise<void> {
  for (const spec of SERVICE_SCHEMAS) await migrate(adminUrl, spec, 'test-role-password', testLogger())
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
  await grantAuditing(url.href, 'test-role-password')
  return { adminUrl: url.href, blobs: open.blobs(pathToFileURL(join(folder, 'blobs')).href) }
}

/** A prepared database that ends idle transactions soon, and a folder of objects. */
async function side(): Promise<Servers & { folder: string }> {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await migratedDatabase(SERVICE_SCHEMAS, prepare)
  closing.push(drop)
  await query(
    adminUrl,
    `do $$ begin execute format(
    'alter database %I set idle_in_transaction_session_timeout = ${IDLE_MS}', current_database()); end $$`,
  )
  const folder = await mkdtemp(join(tmpdir(), 'prelude-copy-'))
  closing.push(() => rm(folder, { recursive: true }))
  return { adminUrl, folder, blobs: open.blobs(pathToFileURL(folder).href) }
}

const query = (adminUrl: string, sql: string): Promise<void> =>
  withOwnerConnection(adminUrl, async (client) => void (await client.query(sql)))

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
