import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type BlobStore, migrate, objectFile, open } from '@prelude/platform'
import { testDatabase, testLogger } from '@prelude/platform/testing'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { copy, type Side } from '../../move/move.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'

const IDLE_MS = 300
const OPTIONS = { ofRunning: true, quietly: false, bus: null }

const closing: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A prepared database that ends idle transactions soon, and a folder of objects. */
async function side(): Promise<Side & { folder: string }> {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  closing.push(drop)
  for (const spec of SERVICE_SCHEMAS) await migrate(adminUrl, spec, 'test-role-password', testLogger())
  await query(
    adminUrl,
    `do $$ begin execute format(
    'alter database %I set idle_in_transaction_session_timeout = ${IDLE_MS}', current_database()); end $$`,
  )
  const folder = await mkdtemp(join(tmpdir(), 'prelude-copy-'))
  closing.push(() => rm(folder, { recursive: true }))
  return { adminUrl, folder, blobs: open.blobs(pathToFileURL(folder).href) }
}

async function query(adminUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(sql)
  await client.end()
}

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
      await delay(2 * IDLE_MS)
      if (copied++ === 0) {
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

test('audio that an earlier copy has is not copied again', async () => {
  const [source, target] = [await side(), await side()]
  for (const path of ['songs/a', 'songs/b']) await put(source.blobs, path)
  const file = join(source.folder, objectFile('songs/a'))
  const earlier = async (path: string) => (path === 'songs/a' ? file : null)
  await copy(source, target, { ...OPTIONS, earlier })
  const inodes = await Promise.all(
    [source, target].flatMap(({ folder }) =>
      ['songs/a', 'songs/b'].map(async (path) => (await stat(join(folder, objectFile(path)))).ino),
    ),
  )
  expect([inodes[0] === inodes[2], inodes[1] === inodes[3]]).toEqual([true, false])
})
