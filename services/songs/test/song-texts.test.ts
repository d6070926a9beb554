import { expect, test } from 'vitest'
import { createSongTexts } from '../src/song-texts.ts'
import type { SongRecord } from '../src/store/song.ts'

const songOf = (id: string, revision = 1): SongRecord => ({
  id,
  uid: 'u1',
  username: 'Ada',
  email: 'ada@example.com',
  lyrics: 'la',
  style: 'folk',
  status: 'pending',
  charge: 'charged',
  refundHeld: false,
  revision,
  createdAt: 1000,
  updatedAt: null,
  storagePath1: null,
  storagePath2: null,
})

test('what was written is known at that revision and at no other', () => {
  const texts = createSongTexts()
  const written = texts.write(songOf('a', 2))
  expect(JSON.parse(written)).toMatchObject({ id: 'a', revision: 2, charged: true, downloadUrl1: null })
  expect(JSON.parse(written)).not.toHaveProperty('refundHeld')
  expect(texts.of([songOf('a', 2)])).toEqual([written])
  expect(texts.of([songOf('a', 1)])).toBeNull()
  expect(texts.of([songOf('a', 3)])).toBeNull()
  texts.write(songOf('a', 3))
  expect(texts.of([songOf('a', 2)])).toBeNull()
})

test('a list of which one song is not known is not known; of none, it is', () => {
  const texts = createSongTexts()
  texts.write(songOf('a'))
  expect(texts.of([songOf('a'), songOf('b')])).toBeNull()
  expect(texts.of([])).toEqual([])
})

test('what nobody lists is forgotten, what is listed stays', () => {
  const texts = createSongTexts()
  texts.write(songOf('a'))
  texts.write(songOf('b'))
  texts.tidy()
  expect(texts.of([songOf('a')])).toHaveLength(1)
  texts.tidy()
  expect(texts.of([songOf('b')])).toBeNull()
  expect(texts.of([songOf('a')])).toHaveLength(1)
})

test('no more is kept than so many characters, and what is listed again and again is kept longest', () => {
  const { length } = createSongTexts().write(songOf('00'))
  const texts = createSongTexts(10 * length)
  const ids = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'))
  for (const id of ids) {
    texts.write(songOf(id))
    texts.of([songOf('00')])
  }
  const kept = ids.filter((id) => texts.of([songOf(id)]) !== null)
  expect(kept.length).toBeLessThanOrEqual(10)
  expect(kept).toEqual(expect.arrayContaining(['00', '98', '99']))
})
