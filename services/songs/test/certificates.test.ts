import { expect, test } from 'vitest'
import {
  AccountClosed,
  certificatesApi,
  type MadeOfSome,
  type PlacedObject,
  type Song,
  songsApi,
} from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { placedObject } from '@prelude/platform/testing'
import { brokenRules, charge, request, type Songs, startSongs } from './start-songs.ts'

async function chargedSong(songs: Songs): Promise<Song> {
  const id = await request(songs, { style: 'folk' })
  await charge(songs, id)
  return songs.api(songsApi).get({ params: { id } })
}

interface Delivered {
  readonly song: Song
  readonly objects: readonly [PlacedObject, PlacedObject]
  readonly certificate: string
}

async function readySong(songs: Songs): Promise<Delivered> {
  const { id } = await chargedSong(songs)
  const [version1, version2] = [placedObject(`${id}/a`), placedObject(`${id}/b`)]
  const body = { gift: false, version1, version2 }
  const song = await songs.api(songsApi).fulfil({ params: { id }, body })
  return { song, objects: [version1, version2], certificate: song.certificate?.id ?? '' }
}
const read = (songs: Songs, id: string) => songs.api(certificatesApi).get({ params: { id } })
const fileOf = (version: 1 | 2, take: number, { sha256, durationMs }: PlacedObject) => ({
  version,
  take,
  sha256,
  durationMs,
  made: null,
})

test('a delivered song has a certificate of both files, one that is being made has none', async () => {
  await using songs = await startSongs()
  expect((await chargedSong(songs)).certificate).toBeNull()
  const { song, objects, certificate } = await readySong(songs)
  expect(song.certificate).toEqual({ id: certificate, url: `/verify/${certificate}` })
  // version 4: nothing but random bits
  expect(certificate).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(await read(songs, certificate)).toEqual({
    id: certificate,
    issuedAt: expect.any(Number) as number,
    title: 'folk',
    files: [fileOf(1, 1, objects[0]), fileOf(2, 1, objects[1])],
    valid: true,
    reason: null,
    replacedBy: null,
  })
  await songs.api(songsApi).change({ params: { id: song.id }, body: { title: 'Rain', favourite: true } })
  expect((await read(songs, certificate)).title).toBe('Rain')
  const after = await songs.api(songsApi).get({ params: { id: song.id } })
  expect(after.certificate).toEqual(song.certificate)
  for (const unknown of [newId(), 'nope', song.id])
    await expect(read(songs, unknown)).rejects.toMatchObject({ code: 'certificate_not_found' })
})

test('new takes and a replaced file make a new certificate, and the one before names it', async () => {
  await using songs = await startSongs()
  const { song, objects, certificate } = await readySong(songs)
  const { askChanges, deliverChanges, replaceTake } = songs.api(songsApi)
  const params = { id: song.id }
  await askChanges({ params, body: { notes: [{ version: 1, text: 'louder' }] } })
  const louder = placedObject(`${song.id}/c`)
  const changed = await deliverChanges({ params, body: { objects: [{ version: 1, object: louder }] } })
  const second = changed.certificate?.id ?? ''
  expect(second).not.toBe(certificate)
  expect(await read(songs, certificate)).toMatchObject({
    valid: false,
    reason: 'replaced',
    replacedBy: second,
    files: [fileOf(1, 1, objects[0]), fileOf(2, 1, objects[1])],
  })
  expect(await read(songs, second)).toMatchObject({
    valid: true,
    files: [fileOf(1, 2, louder), fileOf(2, 1, objects[1])],
  })

  const right = placedObject(`${song.id}/d`)
  const body = { replaces: objects[1].path, object: right }
  const replaced = await replaceTake({ params: { ...params, n: '2' }, body })
  const third = replaced.certificate?.id ?? ''
  expect(await read(songs, second)).toMatchObject({ valid: false, reason: 'replaced', replacedBy: third })
  expect((await read(songs, third)).files).toEqual([fileOf(1, 2, louder), fileOf(2, 1, right)])

  // an earlier take is not what the certificate is about
  const earlier = { replaces: objects[0].path, object: placedObject(`${song.id}/e`) }
  const same = await replaceTake({ params: { ...params, n: '1' }, body: earlier })
  expect(same.certificate?.id).toBe(third)
  const { items } = await songs.api(certificatesApi).ofSong({ params })
  expect(items).toEqual(await Promise.all([certificate, second, third].map((id) => read(songs, id))))
  expect(await brokenRules(songs)).toEqual([])
})

test('the certificate of a song that was given back is not valid', async () => {
  await using songs = await startSongs()
  const { song, certificate } = await readySong(songs)
  const { refund } = songs.api(songsApi)
  expect((await read(songs, certificate)).valid).toBe(true)
  await refund({ params: { id: song.id }, body: { reason: 'noise', delivered: true } })
  expect(await read(songs, certificate)).toMatchObject({ valid: false, reason: 'refunded', replacedBy: null })
})

test('how the newest takes were made is said with their files or later, and is in the certificate', async () => {
  await using songs = await startSongs()
  const { song, objects, certificate } = await readySong(songs)
  const { askChanges, cancel, deliverChanges, refund, replaceTake, stateMade, takes } = songs.api(songsApi)
  const params = { id: song.id }
  const [ai, people] = [
    { how: 'ai', with: 'ACE-Step 1.5' },
    { how: 'people', with: null },
  ] as const
  expect(song.made).toEqual({ 1: null, 2: null })
  const state = (made: MadeOfSome) => stateMade({ params, body: { made } })
  // one from before says nothing, and stays
  await songs.admin.query(
    `update certificate set files = (select jsonb_agg(value - 'made') from jsonb_array_elements(files))`,
  )
  expect((await read(songs, certificate)).files).toEqual([fileOf(1, 1, objects[0]), fileOf(2, 1, objects[1])])
  expect(await state({ 1: null })).toEqual(song)
  expect(await brokenRules(songs)).toEqual([])

  const stated = await state({ 1: ai })
  expect(stated).toEqual({
    ...song,
    revision: song.revision + 1,
    made: { 1: ai, 2: null },
    certificate: expect.anything() as unknown,
  })
  const second = stated.certificate?.id ?? ''
  expect(await read(songs, certificate)).toMatchObject({ reason: 'replaced', replacedBy: second })
  expect((await read(songs, second)).files).toMatchObject([{ made: ai }, { made: null }])
  expect(await state({ 1: ai, 2: null })).toEqual(stated)

  await askChanges({ params, body: { notes: [{ version: 1, text: 'louder' }] } })
  const louder = { ...placedObject(`${song.id}/c`), made: people }
  await deliverChanges({ params, body: { objects: [{ version: 1, object: louder }] } })
  await state({ 1: people, 2: ai })
  expect((await takes({ params })).takes.map(({ made }) => made)).toEqual([ai, people, ai])
  const replaced = await replaceTake({
    params: { ...params, n: '2' },
    body: { replaces: objects[1].path, object: placedObject(`${song.id}/d`) },
  })
  expect(replaced.made).toEqual({ 1: people, 2: null })
  await refund({ params, body: { reason: 'noise', delivered: true } })
  const { certificate: last } = await state({ 2: people })
  expect(await read(songs, last?.id ?? '')).toMatchObject({ valid: false, reason: 'refunded' })
  expect(await brokenRules(songs)).toEqual([])

  const { id } = await chargedSong(songs)
  const later = () => stateMade({ params: { id }, body: { made: { 1: ai } } })
  await expect(later()).rejects.toMatchObject({ code: 'song_not_ready' })
  await cancel({ params: { id } })
  await expect(later()).rejects.toMatchObject({ code: 'song_closed' })
})

test('of a closed account the certificate stays valid, without a text', async () => {
  await using songs = await startSongs()
  const { objects, certificate } = await readySong(songs)
  await songs.deliver(AccountClosed, { uid: 'u1' })
  expect(await read(songs, certificate)).toMatchObject({
    title: null,
    valid: true,
    files: [fileOf(1, 1, objects[0]), fileOf(2, 1, objects[1])],
  })
  expect(await brokenRules(songs)).toEqual([])
})
