import { type Placed, SongErased, SongFulfilled, storageApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { storageInvariants } from '../src/index.ts'
import { bothVersions, startStorage, type Storage } from './system.ts'

const rows = async (storage: Storage): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['audio', 'claim', 'analysis'].map(
        async (table) => (await storage.admin.query(`select * from ${table}`)).rows,
      ),
    ),
  )

test('the audio, its name and its waveform go with the song, and of other songs nothing', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil(newId(), ['Ada’s own.mp3', 'Ada’s other.mp3'])
  const other = await storage.fulfil()
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })
  for (const path of paths) storage.named.delete(path)
  await storage.deliver(SongErased, { songId, uid: 'u1' })
  expect((await storage.inject({ url: `/songs/${songId}/versions/1/audio` })).statusCode).toBe(404)
  for (const { name, sql } of storageInvariants)
    expect({ name, rows: (await storage.admin.query(sql)).rows }).toEqual({ name, rows: [] })
  await storage.runJob('settle-claims')
  expect(await storage.objects()).toEqual([...other.paths].toSorted())
  expect(await rows(storage)).not.toContain('Ada')
  expect(await rows(storage)).not.toContain(songId)
})

test('a placement that is under way finds its claim gone', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const { claim } = (await storage.postBoth(songId, await bothVersions())).json<Placed>()
  await storage.deliver(SongErased, { songId, uid: 'u1' })
  await storage.api(storageApi).keep({ params: { claim } })
  expect((await storage.inject({ url: `/songs/${songId}/versions/1/audio` })).statusCode).toBe(404)
  await storage.runJob('settle-claims')
  expect(await storage.objects()).toEqual([])
  expect(await rows(storage)).not.toContain(songId)
})
