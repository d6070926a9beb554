import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { startStorage, type Storage } from './system.ts'

const TWO_DAYS_AGO = new Date(Date.now() - 48 * 60 * 60 * 1000)

async function putOld(storage: Storage, path: string): Promise<string> {
  await storage.blobs.put(path, Readable.from(['x']), { sizeBytes: 1, contentType: 'audio/mpeg' })
  await utimes(join(storage.dir, 'blobs', path), TWO_DAYS_AGO, TWO_DAYS_AGO)
  return path
}

test('old objects that no song names go; named, served and young ones stay', async () => {
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
  expect(await storage.objects()).toEqual([...paths, named, young, elsewhere].toSorted())
})

test('while songs does not answer nothing is deleted', async () => {
  await using storage = await startStorage()
  const stray = await putOld(storage, 'songs/1/version1_stray.mp3')
  storage.songs.answers = false
  await expect(storage.runJob('sweep')).rejects.toThrow('songs')
  expect(await storage.objects()).toEqual([stray])
})

test('staged files that nobody touched for a day go, others stay', async () => {
  await using storage = await startStorage()
  for (const folder of ['uploads', 'placements']) {
    await mkdir(join(storage.stagingDir, folder), { recursive: true })
    for (const name of ['old', 'young']) await writeFile(join(storage.stagingDir, folder, name), 'x')
    await utimes(join(storage.stagingDir, folder, 'old'), TWO_DAYS_AGO, TWO_DAYS_AGO)
  }
  await storage.runJob('sweep')
  expect(await storage.staged()).toEqual(['young', 'young'])
})
