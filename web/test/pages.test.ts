import type { Song } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { type SongFilter, type Songs, withSong } from '../src/api/pages.ts'

const ALL: SongFilter = { q: '', status: '' }

/** A song as old as its number is low. */
const song = (n: number, rest: Partial<Song> = {}): Song =>
  ({
    id: `id-${n}`,
    createdAt: n,
    revision: 1,
    status: 'pending',
    lyrics: 'la',
    style: 'folk',
    ...rest,
  }) as Song

const pages = (numbers: readonly number[][], nextCursor: string | null = null): Songs => ({
  pages: numbers.map((page, index) => ({
    items: page.map((n) => song(n)),
    nextCursor: index < numbers.length - 1 ? 'next' : nextCursor,
  })),
  pageParams: [],
})

const idsOf = ({ pages: all }: Songs): string[][] =>
  all.map(({ items }) => items.map(({ id }) => id.slice(3)))

test('a song nobody has seen goes on top, and the other pages stay the same objects', () => {
  const before = pages([[9, 8], [7, 6], [5]])
  const after = withSong(before, song(10), ALL)
  expect(idsOf(after)).toEqual([['10', '9', '8'], ['7', '6'], ['5']])
  expect(after.pages[1]).toBe(before.pages[1])
  expect(after.pages[2]).toBe(before.pages[2])
})

test('a newer state replaces an older one in its place; the same or an older one changes nothing', () => {
  const before = pages([
    [9, 8],
    [7, 6],
  ])
  const after = withSong(before, song(7, { revision: 2, status: 'ready' }), ALL)
  expect(after.pages[1]?.items[0]?.status).toBe('ready')
  expect(after.pages[1]?.items[1]).toBe(before.pages[1]?.items[1])
  expect(after.pages[0]).toBe(before.pages[0])
  expect(withSong(after, song(7, { style: 'a copy' }), ALL)).toBe(after)
})

test('a song of the past is put where it belongs, or left to be read', () => {
  expect(
    idsOf(
      withSong(
        pages([
          [9, 8],
          [5, 4],
        ]),
        song(6),
        ALL,
      ),
    ),
  ).toEqual([
    ['9', '8'],
    ['6', '5', '4'],
  ])
  expect(idsOf(withSong(pages([[9, 8]]), song(1), ALL))).toEqual([['9', '8', '1']])
  const more = pages([[9, 8]], 'more')
  expect(withSong(more, song(1), ALL)).toBe(more)
  expect(idsOf(withSong(pages([[]]), song(1), ALL))).toEqual([['1']])
})

test('a filtered list takes up what it shows and gives up what it does not show any more', () => {
  const pending: SongFilter = { q: '', status: 'pending' }
  const before = pages([[9, 8]])
  expect(idsOf(withSong(before, song(9, { revision: 2, status: 'ready' }), pending))).toEqual([['8']])
  expect(withSong(before, song(10, { status: 'ready' }), pending)).toBe(before)
  expect(idsOf(withSong(before, song(10, { style: 'Slow JAZZ' }), { q: 'jazz', status: '' }))).toEqual([
    ['10', '9', '8'],
  ])
})
