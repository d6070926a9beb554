import { songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { createSongs } from '../src/index.ts'
import { requestSong } from '../src/routes/request-song.ts'
import { charge, startSongs, TEXTS } from './start-songs.ts'

test.for([750, 1500])('a song keeps the price that it was requested for: then %i', async (priceCents) => {
  await using songs = await testService((deps) => createSongs({ ...deps, priceCents }))
  const api = songs.api(songsApi)
  const params = { id: newId() }
  const body = { uid: 'u1', ...TEXTS }
  expect(await api.request({ params, body })).toMatchObject({ price: priceCents / 100 })
  // the same request again, to a version with another price
  await requestSong(songs.db, songs.clock, 1000)({ params, query: undefined, body })
  await charge(songs, params.id)
  expect(await api.get({ params })).toMatchObject({ price: priceCents / 100, charge: 'charged' })
  expect((await api.list({ query: {} })).items).toMatchObject([{ price: priceCents / 100 }])
  const requests = (await songs.emitted()).filter(({ type }) => type === 'SongRequested')
  expect(requests.map(({ data }) => data)).toEqual([{ songId: params.id, uid: 'u1', price: priceCents }])
})

test('a song of the version before costs 10 credits', async () => {
  await using songs = await startSongs()
  const id = newId()
  await songs.admin.query(
    `insert into song (id, uid, username, email, lyrics, style, created_at) values ($1, 'u1', 'Ada', '', 'la', 'folk', 1)`,
    [id],
  )
  expect(await songs.api(songsApi).get({ params: { id } })).toMatchObject({ price: 10 })
})
