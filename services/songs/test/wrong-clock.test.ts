import { sharesApi, SongLate, songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { placedObject, testService } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { createSongs } from '../src/index.ts'
import { charge, request } from './start-songs.ts'

const YEAR_MS = 365 * 24 * 60 * 60_000

test('a process whose clock is a year ahead makes no song late, and ends no time for changes and no link', async () => {
  await using songs = await testService(({ db, clock }) =>
    createSongs({ db, clock: { ...clock, now: () => clock.now() + YEAR_MS } }),
  )
  const api = songs.api(songsApi)
  const passTime = () =>
    songs.service.jobs?.find(({ name }) => name === 'notice-time')?.run(new AbortController().signal)
  const id = await request(songs)
  await charge(songs, id)
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
