import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { storeCheck } from '../src/index.ts'
import { startStorage, type Storage } from './system.ts'

const TWO_DAYS_AGO = new Date(Date.now() - 49 * 60 * 60 * 1000)

async function putOld(storage: Storage, path: string): Promise<string> {
  await storage.blobs.put(path, Readable.from(['x']), { sizeBytes: 1, contentType: 'audio/mpeg' })
  await utimes(join(storage.dir, 'blobs', path), TWO_DAYS_AGO, TWO_DAYS_AGO)
  return path
}

test('old objects without a record go unless a song names them; recorded and young ones stay', async () => {
  await using storage = await startStorage()
  const { paths } = await storage.fulfil()
  for (const path of paths) await putOld(storage, path)
  storage.named.clear()
  const named = await putOld(storage, 'songs/1/version1_named.mp3')
  storage.named.add(named)
  await putOld(storage, 'songs/1/version2_stray.mp3')
  const elsewhere = await putOld(storage, 'other/file')
  const young = 'songs/2/version1_young.mp3'
  await storage.blobs.put(young, Readable.from(['x']), { sizeBytes: 1, contentType: 'audio/mpeg' })
  await storage.runJob('sweep')
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual([...paths, named, young, elsewhere].toSorted())
})

test('the store is compared with what is served: missing, of another size, of no song', async () => {
  await using storage = await startStorage()
  const { paths } = await storage.fulfil()
  const [first = '', second = ''] = paths
  expect(await storeCheck(storage.db, storage.blobs, storage.clock)).toEqual({ count: 2, findings: [] })
  await storage.blobs.delete(first)
  await putOld(storage, second)
  const stray = await putOld(storage, 'songs/1/version2_stray.mp3')
  await storage.blobs.put('songs/2/version1_young.mp3', Readable.from(['x']), {
    sizeBytes: 1,
    contentType: 'audio/mpeg',
  })
  const { findings } = await storeCheck(storage.db, storage.blobs, storage.clock)
  expect(findings.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
    [
      { path: first, problem: 'missing' },
      { path: second, problem: 'another size' },
      { path: stray, problem: 'of no song' },
    ].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  )
})

test('while songs does not answer nothing is deleted', async () => {
  await using storage = await startStorage()
  const stray = await putOld(storage, 'songs/1/version1_stray.mp3')
  storage.songs.answers = false
  await expect(storage.runJob('sweep')).rejects.toThrow('songs')
  await storage.runJob('delete-objects')
  expect(await storage.objects()).toEqual([stray])
})

test('a service that stops deletes no further objects', async () => {
  await using storage = await startStorage()
  const stray = await putOld(storage, 'songs/1/version1_stray.mp3')
  await storage.runJob('sweep')
  await storage.runJob('delete-objects', AbortSignal.abort())
  expect(await storage.objects()).toEqual([stray])
})

test('staged files that were not changed for a day are deleted, others stay', async () => {
  await using storage = await startStorage()
  for (const folder of ['uploads', 'placements']) {
    await mkdir(join(storage.stagingDir, folder), { recursive: true })
    for (const name of ['old', 'young']) await writeFile(join(storage.stagingDir, folder, name), 'x')
    await utimes(join(storage.stagingDir, folder, 'old'), TWO_DAYS_AGO, TWO_DAYS_AGO)
  }
  await storage.runJob('sweep')
  expect(await storage.staged()).toEqual(['young', 'young'])
})
