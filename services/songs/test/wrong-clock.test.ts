import { sharesApi, SongLate, songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { placedObject, testService } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { createSongs } from '../src/index.ts'
import { charge, decline, request } from './start-songs.ts'

const YEAR_MS = 365 * 24 * 60 * 60_000

test('a process whose clock is a year ahead promises no song for later, makes none late, and ends no time for changes and no link', async () => {
  await using songs = await testService(({ db, clock }) =>
    createSongs({ db, clock: { ...clock, now: () => clock.now() + YEAR_MS } }),
  )
  const api = songs.api(songsApi)
  const passTime = () =>
    songs.service.jobs
      ?.find(({ name }) => name === 'mark-late-and-accepted')
      ?.run(new AbortController().signal)
  const id = await request(songs)
  await charge(songs, id)
  const gift = await request(songs)
  await decline(songs, gift)
  const { promisedAt } = await api.start({ params: { id: gift }, body: { gift: true } })
  expect(promisedAt).toBeLessThan(songs.clock.now() + YEAR_MS)
  await passTime()
  expect((await songs.emitted()).map(({ type }) => type)).not.toContain(SongLate.type)

  const objects = { version1: placedObject('a'), version2: placedObject('b') }
  await api.fulfil({ params: { id }, body: { gift: false, ...objects } })
  await passTime()
  const notes = [{ version: 1, atMs: null, text: 'louder' }] as const
  expect((await api.askChanges({ params: { id }, body: { notes: [...notes] } })).acceptedAt).toBeNull()

  const expiresAt = songs.clock.now() + 60 * 60_000
  const share = { songId: id, versions: [1] as 1[], lyrics: true, download: true, expiresAt }
  const { token } = await songs.api(sharesApi).create({ params: { id: newId() }, body: share })
  expect((await songs.api(sharesApi).open({ body: { token } })).share.endedAt).toBeNull()
})

test('while the clocks of a process and of its database differ, nothing is decided by the time', async () => {
  await using songs = await testService(createSongs)
  const api = songs.api(songsApi)
  const passTime = () =>
    songs.service.jobs
      ?.find(({ name }) => name === 'mark-late-and-accepted')
      ?.run(new AbortController().signal)
  const isLate = async () => (await songs.emitted()).some(({ type }) => type === SongLate.type)
  const id = await request(songs)
  await charge(songs, id)
  songs.clock.pass(YEAR_MS)
  for (const driftMs of [-YEAR_MS, 2 * YEAR_MS]) {
    songs.clock.drift(driftMs)
    await expect(passTime()).rejects.toThrow(
      'the clocks of this process and of its database are 31536000 s apart',
    )
    expect(await isLate()).toBe(false)
    const objects = { version1: placedObject('a'), version2: placedObject('b') }
    const fulfilling = api.fulfil({ params: { id }, body: { gift: false, ...objects } })
    await expect(fulfilling).rejects.toHaveProperty('code', 'unavailable')
  }
  songs.clock.drift(-YEAR_MS)
  await passTime()
  expect(await isLate()).toBe(true)
})
