import { expect, test } from 'vitest'
import { CreditsRefunded, songsApi, VersionsAnalyzed } from '@prelude/contracts'
import { context, newId } from '@prelude/platform'
import { placedObject } from '@prelude/platform/testing'
import {
  ANSWER,
  brokenRules,
  charge,
  decline,
  request,
  type Songs,
  startSongs,
  TEXTS,
} from './start-songs.ts'

const PATHS = { storagePath1: 'songs/x/version1_a.mp3', storagePath2: 'songs/x/version2_b.mp3' }

const refund = (songs: Songs, songId: string) =>
  songs.deliver(CreditsRefunded, { songId, ...ANSWER, amount: 1000 })
const get = (songs: Songs, id: string) => songs.api(songsApi).get({ params: { id } })
const fulfil = (songs: Songs, id: string, gift = false) =>
  songs.api(songsApi).fulfil({
    params: { id },
    body: { gift, version1: placedObject(PATHS.storagePath1), version2: placedObject(PATHS.storagePath2) },
  })
const typesOf = async (songs: Songs) => (await songs.emitted()).map((event) => event.type)

test('requests of one tick share a transaction, and each keeps its own correlation id', async () => {
  await using songs = await startSongs()
  const given = Array.from({ length: 5 }, (_, n) => ({ id: newId(), correlationId: `request-${n}` }))
  await Promise.all(
    given.map(({ id, correlationId }) =>
      context.run({ correlationId }, () =>
        songs.api(songsApi).request({ params: { id }, body: { uid: 'u1', ...TEXTS } }),
      ),
    ),
  )
  const { rows } = await songs.admin.query<{ n: number }>(
    'select count(distinct xmin::text)::int as n from song',
  )
  expect(rows[0]?.n).toBeLessThan(given.length)
  const emitted = (await songs.emitted()).map(({ data, correlationId }) => ({
    id: data['songId'],
    correlationId,
  }))
  expect(emitted).toHaveLength(given.length)
  expect(emitted).toEqual(expect.arrayContaining(given))
})

test('a request is stored as sent, waits for its charge, and emits one event', async () => {
  await using songs = await startSongs()
  const lyrics = '  líneas\r\n\ttwo 🎵 '
  const before = songs.clock.now()
  const id = await request(songs, { lyrics })
  const song = await get(songs, id)
  expect(song).toMatchObject({
    ...TEXTS,
    lyrics,
    status: 'pending',
    charged: false,
    charge: 'deciding',
    revision: 1,
    updatedAt: null,
    downloadUrl1: null,
    storagePath1: null,
  })
  expect(song.createdAt).toBeGreaterThanOrEqual(before)
  expect(song.createdAt).toBeLessThanOrEqual(songs.clock.now())
  const events = await songs.emitted()
  expect(events.map(({ type, key, data }) => ({ type, key, data }))).toEqual([
    { type: 'SongRequested', key: 'u1', data: { songId: id, uid: 'u1', price: 1000 } },
  ])
})

test('of a song that is to have drafts storage reads nothing that names its person', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  const words = await songs.api(songsApi).words({ params: { id } })
  const { lyrics, style } = TEXTS
  const brief = null
  expect(words).toEqual({
    id,
    uid: 'u1',
    status: 'pending',
    charge: 'deciding',
    revision: 1,
    lyrics,
    style,
    brief,
  })
})

test('the same id requested again answers the first song and emits no event', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  const again = await songs
    .api(songsApi)
    .request({ params: { id }, body: { uid: 'u1', ...TEXTS, lyrics: 'other' } })
  expect(again.lyrics).toBe('la la')
  expect(await typesOf(songs)).toEqual(['SongRequested'])
  const stranger = songs.api(songsApi).request({ params: { id }, body: { uid: 'u2', ...TEXTS } })
  await expect(stranger).rejects.toMatchObject({ code: 'song_not_found' })
})

test('two concurrent requests with one id make one song', async () => {
  await using songs = await startSongs()
  const id = newId()
  const both = await Promise.all(
    [1, 2, 3, 4].map(() => songs.api(songsApi).request({ params: { id }, body: { uid: 'u1', ...TEXTS } })),
  )
  expect(new Set(both.map((song) => song.createdAt)).size).toBe(1)
  expect(await typesOf(songs)).toEqual(['SongRequested'])
})

test('the answers of credits are recorded, each change with its revision, and a late decline does nothing', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await decline(songs, id)
  expect(await get(songs, id)).toMatchObject({ charge: 'declined', charged: false, revision: 2 })
  await charge(songs, id)
  await decline(songs, id)
  expect(await get(songs, id)).toMatchObject({
    charge: 'charged',
    charged: true,
    revision: 3,
    updatedAt: null,
  })
  const revisions = (await songs.emitted())
    .filter((event) => event.type === 'SongUpdated')
    .map((event) => event.data['revision'])
  expect(revisions).toEqual([2, 3])
})

test('a charged song is fulfilled once, and credits learns whether it was a gift', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await expect(fulfil(songs, id)).rejects.toMatchObject({ code: 'charge_pending' })
  await charge(songs, id)
  expect(
    await songs.api(songsApi).checkFulfillable({ params: { id }, query: { gift: false } }),
  ).toMatchObject({
    id,
    status: 'pending',
  })
  const ready = await fulfil(songs, id, true)
  expect(ready).toMatchObject({
    status: 'ready',
    charge: 'charged',
    charged: true,
    ...PATHS,
    downloadUrl1: `/api/songs/${id}/versions/1`,
    downloadUrl2: `/api/songs/${id}/versions/2`,
    updatedAt: expect.any(Number) as number,
    revision: 3,
  })
  await expect(fulfil(songs, id)).rejects.toMatchObject({ code: 'song_already_ready' })
  const events = await songs.emitted()
  expect(events.filter((event) => event.type === 'SongFulfilled').map((event) => event.data)).toEqual([
    { songId: id, uid: 'u1', gift: false },
  ])
  expect(await brokenRules(songs)).toEqual([])
})

test('a waiting song is fulfilled only as a gift and stays one when a charge overtakes', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await decline(songs, id)
  await expect(fulfil(songs, id)).rejects.toMatchObject({ code: 'song_not_charged' })
  expect(await fulfil(songs, id, true)).toMatchObject({ status: 'ready', charge: 'gift', charged: false })
  await charge(songs, id)
  await refund(songs, id)
  expect(await get(songs, id)).toMatchObject({ charge: 'gift', revision: 3 })
  const fulfilments = (await songs.emitted()).filter((event) => event.type === 'SongFulfilled')
  expect(fulfilments.map((event) => event.data['gift'])).toEqual([true])
  expect(await brokenRules(songs)).toEqual([])
})

test('of two concurrent fulfilments one wins', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await charge(songs, id)
  const outcomes = await Promise.allSettled([fulfil(songs, id), fulfil(songs, id)])
  expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await typesOf(songs)).filter((type) => type === 'SongFulfilled')).toHaveLength(1)
})

const NEW = 'songs/x/version2_c.mp3'
const eventsOf = async (songs: Songs, type: string) =>
  (await songs.emitted()).filter((event) => event.type === type).map(({ data }) => data)

test('a take of a ready song is replaced, with an event that lists all takes and no second fulfilment', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  const object = placedObject(NEW)
  const replace = (n: number, replaces: string) =>
    songs.api(songsApi).replaceTake({ params: { id, n }, body: { replaces, object } })
  await charge(songs, id)
  await expect(replace(1, PATHS.storagePath1)).rejects.toMatchObject({ code: 'song_not_ready' })
  const ready = await fulfil(songs, id)
  const { takes } = await songs.api(songsApi).takes({ params: { id } })
  const replaced = await replace(2, PATHS.storagePath2)
  expect(replaced).toMatchObject({ storagePath1: PATHS.storagePath1, storagePath2: NEW })
  expect(replaced.revision).toBe(ready.revision + 1)
  expect(replaced.updatedAt).toBeGreaterThan(ready.updatedAt ?? 0)
  await expect(replace(3, NEW)).rejects.toMatchObject({ code: 'not_found' })
  const listed = (second: string | undefined) => ({
    songId: id,
    uid: 'u1',
    takes: [
      { version: 1, take: 1, objectId: takes[0]?.objectId },
      { version: 2, take: 1, objectId: second },
    ],
  })
  expect(await eventsOf(songs, 'TakesChanged')).toEqual([listed(takes[1]?.objectId), listed(object.id)])
  expect(await eventsOf(songs, 'SongFulfilled')).toHaveLength(1)
  expect(await brokenRules(songs)).toEqual([])
})

test('objects that are refused are named in an event, so that they go', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await charge(songs, id)
  const version1 = placedObject('songs/x/version1_late.mp3')
  const version2 = placedObject('songs/x/version2_late.mp3')
  const late = () => songs.api(songsApi).fulfil({ params: { id }, body: { gift: false, version1, version2 } })
  await songs.api(songsApi).refund({ params: { id }, body: { reason: 'no singer', delivered: false } })
  for (let times = 0; times < 2; times++)
    await expect(late()).rejects.toMatchObject({ code: 'song_not_charged' })
  await songs.api(songsApi).fulfil({
    params: { id },
    body: { gift: true, version1: placedObject('a'), version2: placedObject('b') },
  })
  const object = placedObject('songs/x/version1_third.mp3')
  const replacing = songs
    .api(songsApi)
    .replaceTake({ params: { id, n: 1 }, body: { replaces: 'replaced before', object } })
  await expect(replacing).rejects.toMatchObject({ code: 'fulfilment_in_progress' })
  expect((await eventsOf(songs, 'TakesRefused')).map((data) => data['objectIds'])).toEqual([
    [version1.id, version2.id],
    [version1.id, version2.id],
    [object.id],
  ])
  expect((await get(songs, id)).storagePath1).toBe('a')
})

test('a version can have several takes; each is kept, and the newest is heard', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  const api = songs.api(songsApi)
  const object = placedObject(NEW, { contentType: 'audio/flac', durationMs: 61_000, sizeBytes: 5_000_000 })
  const add = () => api.deliverChanges({ params: { id }, body: { objects: [{ version: 2, object }] } })
  await charge(songs, id)
  await expect(add()).rejects.toMatchObject({ code: 'changes_not_asked' })
  expect((await api.takes({ params: { id } })).takes).toEqual([])
  await fulfil(songs, id)
  await api.askChanges({ params: { id }, body: { notes: [{ version: 2, text: 'louder' }] } })
  expect(await add()).toMatchObject({
    storagePath1: PATHS.storagePath1,
    storagePath2: NEW,
    takes: { 1: 1, 2: 2 },
  })
  const { id: objectId, placedAt: _, ...facts } = object
  const { takes } = await api.takes({ params: { id } })
  expect(takes.map(({ version, take, path }) => [version, take, path])).toEqual([
    [1, 1, PATHS.storagePath1],
    [2, 1, PATHS.storagePath2],
    [2, 2, NEW],
  ])
  expect(takes[2]).toEqual({ version: 2, take: 2, objectId, ...facts, made: null })
  const { paths } = await api.namedPaths({ body: { paths: [PATHS.storagePath2, NEW, 'stray'] } })
  expect(paths.toSorted()).toEqual([PATHS.storagePath2, NEW].toSorted())
  expect(await brokenRules(songs)).toEqual([])
})

test('of replacements that wait for each other each sees the takes that the other left', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await charge(songs, id)
  await fulfil(songs, id)
  const paths = Array.from({ length: 5 }, (_, n) => `songs/x/version1_${n}.mp3`)
  const outcomes = await Promise.allSettled(
    paths.map((path) =>
      songs.api(songsApi).replaceTake({
        params: { id, n: 1 },
        body: { replaces: PATHS.storagePath1, object: placedObject(path) },
      }),
    ),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await eventsOf(songs, 'TakesRefused')).toHaveLength(4)
})

test('an analysis shows as a new revision of its song and nothing else', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  const before = await get(songs, id)
  const versions = [{ durationMs: 1000, loudnessLufs: null }]
  await songs.deliver(VersionsAnalyzed, { songId: id, uid: 'u1', versions })
  expect(await get(songs, id)).toEqual({ ...before, revision: 2 })
})

test('only songs with the path are named to the sweep', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await charge(songs, id)
  await fulfil(songs, id)
  const { paths } = await songs
    .api(songsApi)
    .namedPaths({ body: { paths: [PATHS.storagePath1, 'songs/x/stray.mp3', PATHS.storagePath2] } })
  expect(paths.toSorted()).toEqual([PATHS.storagePath1, PATHS.storagePath2])
})

test('an unknown id and one that is no UUID are the same to the caller', async () => {
  await using songs = await startSongs()
  const known = await request(songs)
  for (const id of [newId(), 'x', '-', "'; drop table song"]) {
    await expect(get(songs, id)).rejects.toMatchObject({ code: 'song_not_found' })
    const { items } = await songs.api(songsApi).byIds({ body: { ids: [id, known] } })
    expect(items).toEqual([await get(songs, known)])
    await expect(fulfil(songs, id)).rejects.toMatchObject({ code: 'song_not_found' })
  }
})
