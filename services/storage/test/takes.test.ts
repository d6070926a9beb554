import { SongErased, TakesChanged, TakesRefused } from '@prelude/contracts'
import { newId, timeIn } from '@prelude/platform'
import { messageOf } from '@prelude/platform/testing'
import Fastify from 'fastify'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deepCheck, storageInvariants, storageSubscribers } from '../src/index.ts'
import { fixture } from './fixtures.ts'
import { bothVersions, formOf, startStorage, type Storage } from './system.ts'

const HOUR_MS = 60 * 60_000

const place = async (storage: Storage, songId: string): Promise<string[]> =>
  storage.place(songId, await bothVersions())

async function placeOne(storage: Storage, songId: string, name: string): Promise<string> {
  const form = formOf({ file: [await fixture('tagged.mp3'), name] })
  const reply = await storage.post(`/songs/${songId}/versions/1/placements`, form)
  return reply.json<{ objects: { path: string }[] }>().objects[0]?.path ?? ''
}

const bytesOf = async (storage: Storage, path: string | undefined): Promise<Buffer> =>
  (await storage.audio(path)).rawPayload

async function findings(storage: Storage): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const finding of deepCheck(storage.db, storage.blobs)) found.push(finding)
  return found
}

async function expectInvariants(storage: Storage): Promise<void> {
  for (const { name, sql } of storageInvariants.filter(({ of }) => of === 'audio'))
    expect({ name, rows: (await storage.db.query(sql, timeIn(sql, storage.clock.now()))).rows }).toEqual({
      name,
      rows: [],
    })
  expect(await findings(storage)).toEqual([])
}

test('an object is streamed from its placement on, before and after an event names it', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const paths = await place(storage, songId)
  expect(await bytesOf(storage, paths[0])).toEqual(await fixture('cbr.mp3'))
  await storage.name(songId, ...paths)
  expect(await bytesOf(storage, paths[0])).toEqual(await fixture('cbr.mp3'))
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual(paths)
  await expectInvariants(storage)
})

test('a replaced object goes when its song names another, which got a path of its own', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const [first = '', second = ''] = paths
  const better = await placeOne(storage, songId, 'one.mp3')
  expect(better).toMatch(/version1_one-[0-9a-f]{6}\.mp3$/)
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual([better, first, second].toSorted())
  await storage.name(songId, better, second)
  expect(await bytesOf(storage, better)).toEqual(await fixture('tagged.mp3'))
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual([better, second].toSorted())
  expect((await storage.audio(first)).statusCode).toBe(503)
  await expectInvariants(storage)
})

test('a replaced object does not come back, though an old event names it once more', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const [first = '', second = ''] = paths
  const better = await placeOne(storage, songId, 'better.mp3')
  await storage.name(songId, better, second)
  // from a log that was put back: the object is on its way out, or gone
  await storage.name(songId, first, second)
  await storage.runJob('delete-objects')
  await storage.name(songId, better, second)
  expect(await storage.objects()).not.toContain(first)
  expect((await storage.audio(first)).statusCode).toBe(503)
})

test('an event about the takes that is handled after a newer one, or after the song was erased, changes nothing', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const [first = '', second = ''] = paths
  const better = await placeOne(storage, songId, 'better.mp3')
  await storage.name(songId, better, second)
  const takes = [first, second].map((path, i) => ({ version: i + 1, take: 1, objectId: storage.idOf(path) }))
  const old = messageOf(TakesChanged, { songId, uid: 'u1', takes }, { id: newId(), position: 1, at: 1 })
  const [subscriber] = storageSubscribers(storage.clock)
  const stored = async () =>
    (await storage.db.query('select path, state, take from audio order by path')).rows.concat(
      (await storage.db.query('select * from analysis')).rows,
    )
  const before = await stored()
  await storage.db.transaction(async (tx) => subscriber?.handle([old], tx))
  expect(await stored()).toEqual(before)
  await storage.deliver(SongErased, { songId, uid: 'u1' })
  const erased = await stored()
  await storage.db.transaction(async (tx) => subscriber?.handle([old], tx))
  expect(await stored()).toEqual(erased)
})

test('a version can have several takes, and all stay', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const [first = '', second = ''] = paths
  const newer = await placeOne(storage, songId, 'one.mp3')
  await storage.name(songId, first, newer, second)
  await storage.runJob('delete-objects')
  await storage.runJob('sweep')
  expect(await bytesOf(storage, first)).toEqual(await fixture('cbr.mp3'))
  expect(await bytesOf(storage, newer)).toEqual(await fixture('tagged.mp3'))
  const { rows } = await storage.admin.query('select version, take from audio order by version, take')
  expect(rows).toEqual([
    { version: 1, take: 1 },
    { version: 1, take: 2 },
    { version: 2, take: 1 },
  ])
  await expectInvariants(storage)
})

test('refused objects go, and never one that a song names', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const late = await place(storage, songId)
  const objectIds = [...late, ...paths].map(storage.idOf)
  await storage.deliver(TakesRefused, { songId, uid: 'u1', objectIds })
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual(paths)
  await expectInvariants(storage)
})

test('what nobody named goes after a day, when songs says that no song names it', async () => {
  await using storage = await startStorage()
  const [songId, namedSong] = [newId(), newId()]
  const forgotten = await place(storage, songId)
  const named = await place(storage, namedSong)
  for (const path of named) storage.named.add(path) // the event has not come yet
  const sweep = async (): Promise<string[]> => {
    await storage.runJob('sweep')
    await storage.runJob('delete-objects')
    return storage.objects()
  }
  expect(await sweep()).toEqual([...forgotten, ...named].toSorted())
  storage.clock.pass(25 * HOUR_MS)
  expect(await sweep()).toEqual(named)
  expect((await place(storage, songId))[0]).toBe(forgotten[0])
})

test('while songs does not answer, or answers too late, nothing goes', async () => {
  await using storage = await startStorage()
  const paths = await place(storage, newId())
  storage.clock.pass(25 * HOUR_MS)
  storage.songs.answers = false
  await expect(storage.runJob('sweep')).rejects.toThrow('songs')
  storage.songs.answers = true
  const late = Promise.withResolvers<void>()
  storage.songs.answer = () => late.promise
  await expect(storage.runJob('sweep')).rejects.toThrow('songs')
  late.resolve() // "not named", to a caller that has given up
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual(paths)
})

test('an object that is named while songs is asked stays', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const paths = await place(storage, songId)
  storage.clock.pass(25 * HOUR_MS)
  storage.songs.answer = async () => {
    storage.songs.answer = async () => {}
    await storage.name(songId, ...paths)
    storage.named.clear()
  }
  await storage.runJob('sweep')
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual(paths)
})

test('an object that the store would not delete is deleted later', async () => {
  const store = { refuses: true }
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      delete: (path) => (store.refuses ? Promise.reject(new Error('down')) : real.delete(path)),
    }),
  })
  const songId = newId()
  const paths = await place(storage, songId)
  await storage.deliver(TakesRefused, { songId, uid: 'u1', objectIds: paths.map(storage.idOf) })
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toHaveLength(2)
  store.refuses = false
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toHaveLength(2) // the lease of the first try
  storage.clock.pass(HOUR_MS)
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual([])
  expect((await storage.admin.query('select path from audio')).rows).toEqual([])
})

test('the files of a placement that a crash cut short go when the next process starts', async () => {
  await using storage = await startStorage()
  await mkdir(join(storage.stagingDir, 'placements', newId()), { recursive: true })
  await storage.service.routes(Fastify())
  expect(await readdir(storage.stagingDir)).not.toContain('placements')
  expect(await place(storage, newId())).toHaveLength(2)
})

test('the deep check finds a missing object and changed bytes', async () => {
  await using storage = await startStorage()
  const { paths } = await storage.fulfil()
  await storage.blobs.delete(paths[0] ?? '')
  await storage.admin.query(`update audio set sha256 = repeat('0', 64) where path = $1`, [paths[1]])
  expect(await findings(storage)).toEqual([
    { path: paths[0], problem: 'missing' },
    { path: paths[1], problem: 'other bytes' },
  ])
})

const rows = async (storage: Storage): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['audio', 'analysis'].map(async (table) => (await storage.admin.query(`select * from ${table}`)).rows),
    ),
  )

test('the audio, its name and its waveform go with the song, and of other songs nothing', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil(newId(), ['Ada’s own.mp3', 'Ada’s other.mp3'])
  const other = await storage.fulfil()
  await storage.runJob('analyze-versions')
  await storage.deliver(SongErased, { songId, uid: 'u1' })
  expect((await storage.audio(paths[0])).statusCode).toBe(503)
  expect(await rows(storage)).not.toContain('Ada’s')
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual(other.paths)
  expect(await rows(storage)).not.toContain(songId)
  await expectInvariants(storage)
})

test('what is placed for a song that was erased meanwhile goes with the sweep', async () => {
  await using storage = await startStorage()
  const songId = newId()
  await storage.deliver(SongErased, { songId, uid: 'u1' })
  await place(storage, songId)
  storage.clock.pass(25 * HOUR_MS)
  await storage.runJob('sweep')
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual([])
  expect(await rows(storage)).not.toContain(songId)
})
