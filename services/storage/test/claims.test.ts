import { type Placed, SongFulfilled, storageApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import Fastify from 'fastify'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { deepCheck, storageInvariants } from '../src/index.ts'
import { fixture } from './fixtures.ts'
import { bothVersions, formOf, startStorage, type Storage } from './system.ts'

const place = async (storage: Storage, songId: string): Promise<Placed> =>
  (await storage.postBoth(songId, await bothVersions())).json<Placed>()

const replace = async (storage: Storage, songId: string, name = 'one.mp3'): Promise<Placed> =>
  (
    await storage.post(
      `/songs/${songId}/versions/1/placements`,
      formOf({ file: [await fixture('tagged.mp3'), name] }),
    )
  ).json<Placed>()

const served = async (storage: Storage, songId: string): Promise<Buffer> =>
  (await storage.inject({ url: `/songs/${songId}/versions/1/audio` })).rawPayload

async function findings(storage: Storage): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const finding of deepCheck(storage.db, storage.blobs)) found.push(finding)
  return found
}

async function expectInvariants(storage: Storage): Promise<void> {
  for (const { name, sql } of storageInvariants)
    expect({ name, rows: (await storage.db.query(sql)).rows }).toEqual({ name, rows: [] })
  expect(await findings(storage)).toEqual([])
}

test('kept objects are served, and the song is free for another placement', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const { claim, paths } = await place(storage, songId)
  for (const path of paths) storage.named.add(path)
  await storage.api(storageApi).keep({ params: { claim } })
  expect(await served(storage, songId)).toEqual(await fixture('cbr.mp3'))
  expect((await storage.admin.query('select token from claim')).rows).toEqual([])
  await expectInvariants(storage)
})

test('discarded objects are gone, and the song is free for another placement', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const { claim } = await place(storage, songId)
  await storage.api(storageApi).discard({ params: { claim } })
  expect(await storage.objects()).toEqual([])
  const again = await place(storage, songId)
  expect(again.paths[0]).toBe(`songs/${songId}/version1_one.mp3`)
})

test('keeping and discarding twice, or a claim that never was, changes nothing', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const kept = await storage.api(storageApi).keep({ params: { claim: newId() } })
  expect(kept).toEqual({})
  const { claim } = await replace(storage, songId, 'new.mp3')
  await storage.api(storageApi).discard({ params: { claim } })
  await storage.api(storageApi).discard({ params: { claim } })
  await storage.api(storageApi).keep({ params: { claim } })
  expect(await storage.objects()).toEqual(paths.toSorted())
})

test('a discard of what the song names after all keeps it: the answer was lost, not the song', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const { claim, paths } = await place(storage, songId)
  for (const path of paths) storage.named.add(path)
  await storage.api(storageApi).discard({ params: { claim } })
  expect(await served(storage, songId)).toEqual(await fixture('cbr.mp3'))
})

test('a discard while songs does not answer removes nothing; it is settled later', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const { claim, paths } = await place(storage, songId)
  storage.songs.answers = false
  await storage.api(storageApi).discard({ params: { claim } })
  expect(await storage.objects()).toEqual(paths.toSorted())
  await storage.admin.query(`update claim set expires_at = now() - interval '1 hour'`)
  await expect(storage.runJob('settle-claims')).rejects.toThrow('songs')
  expect(await storage.objects()).toEqual(paths.toSorted())
  storage.songs.answers = true
  await storage.runJob('settle-claims')
  expect(await storage.objects()).toEqual([])
})

test('a replacement of the same name gets a path of its own; the old object goes after the new one serves', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const placed = await replace(storage, songId)
  expect(placed.paths[0]).toMatch(/version1_one-[0-9a-f]{6}\.mp3$/)
  expect(await served(storage, songId)).toEqual(await fixture('cbr.mp3'))
  storage.named.delete(paths[0] ?? '')
  storage.named.add(placed.paths[0] ?? '')
  await storage.api(storageApi).keep({ params: { claim: placed.claim } })
  expect(await served(storage, songId)).toEqual(await fixture('tagged.mp3'))
  const kept = placed.paths.concat(paths[1] ?? '').toSorted()
  await vi.waitFor(async () => expect(await storage.objects()).toEqual(kept))
  await storage.service.close?.()
  await expectInvariants(storage)
})

test('an object that the store would not delete is deleted later', async () => {
  const store = { refuses: true }
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      delete: (path) => (store.refuses ? Promise.reject(new Error('down')) : real.delete(path)),
    }),
  })
  const { claim } = await place(storage, newId())
  await storage.api(storageApi).discard({ params: { claim } })
  expect(await storage.objects()).toHaveLength(2)
  store.refuses = false
  await storage.admin.query(`update audio set leaving_at = now() - interval '1 hour'`)
  await storage.runJob('settle-claims')
  expect(await storage.objects()).toEqual([])
})

test('a placement that a crash cut short frees its song when the next process starts', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const { claim } = await place(storage, songId)
  // the folder of a placement exists until its caller was answered
  await mkdir(join(storage.stagingDir, 'placements', claim), { recursive: true })
  const restarted = Fastify()
  await storage.service.routes(restarted)
  await storage.runJob('settle-claims')
  expect(await storage.objects()).toEqual([])
  expect(await readdir(join(storage.stagingDir, 'placements'))).toEqual([])
  expect((await place(storage, songId)).paths[0]).toBe(`songs/${songId}/version1_one.mp3`)
})

test('two claims of one song kept at once leave one of them served', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const first = await place(storage, songId)
  await storage.admin.query(`update claim set expires_at = now() - interval '1 second'`)
  const second = await place(storage, songId)
  await Promise.all([first, second].map(({ claim }) => storage.api(storageApi).keep({ params: { claim } })))
  const { rows } = await storage.admin.query(`select path from audio where state = 'current'`)
  expect(rows).toHaveLength(2)
  await storage.service.close?.()
  await expectInvariants(storage)
})

test('the deep check finds a missing object and changed bytes', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })
  await storage.blobs.delete(paths[0] ?? '')
  await storage.admin.query(`update audio set sha256 = repeat('0', 64) where path = $1`, [paths[1]])
  expect(await findings(storage)).toEqual([
    { path: paths[0], problem: 'missing' },
    { path: paths[1], problem: 'other bytes' },
  ])
})
