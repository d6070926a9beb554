import './browser.ts'
import type { Song } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { type Songs, upsertSong as upsertByRule } from '../src/api/pages.ts'
import { needsServerOrder, ruleOf, type SongFilter } from '../src/api/songs.ts'
import { song } from './held-api.ts'

const ALL: SongFilter = { q: '', show: '', sort: 'newest' }

const upsertSong = (data: Songs, one: Song, filter: SongFilter): Songs =>
  upsertByRule(data, one, ruleOf(filter))

const pages = (numbers: readonly number[][], nextCursor: string | null = null): Songs => ({
  pages: numbers.map((page, index) => ({
    items: page.map((n) => song(n)),
    nextCursor: index < numbers.length - 1 ? 'next' : nextCursor,
  })),
  pageParams: [],
})

const idsOf = ({ pages: all }: Songs): string[][] =>
  all.map(({ items }) => items.map(({ id }) => id.slice(3)))

test('a new song goes on top, and the other pages keep their identity', () => {
  const before = pages([[9, 8], [7, 6], [5]])
  const after = upsertSong(before, song(10), ALL)
  expect(idsOf(after)).toEqual([['10', '9', '8'], ['7', '6'], ['5']])
  expect(after.pages[1]).toBe(before.pages[1])
  expect(after.pages[2]).toBe(before.pages[2])
})

test('a newer revision replaces a song in its position; the same or an older one changes nothing', () => {
  const before = pages([
    [9, 8],
    [7, 6],
  ])
  const after = upsertSong(before, song(7, { revision: 2, status: 'ready' }), ALL)
  expect(after.pages[1]?.items[0]?.status).toBe('ready')
  expect(after.pages[1]?.items[1]).toBe(before.pages[1]?.items[1])
  expect(after.pages[0]).toBe(before.pages[0])
  expect(upsertSong(after, song(7, { style: 'a copy' }), ALL)).toBe(after)
})

test('an older song is inserted by its age, or left out when its page is not loaded', () => {
  expect(
    idsOf(
      upsertSong(
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
  expect(idsOf(upsertSong(pages([[9, 8]]), song(1), ALL))).toEqual([['9', '8', '1']])
  const more = pages([[9, 8]], 'more')
  expect(upsertSong(more, song(1), ALL)).toBe(more)
  expect(idsOf(upsertSong(pages([[]]), song(1), ALL))).toEqual([['1']])
})

test('a filtered list adds songs that match and removes those that no longer match', () => {
  const pending: SongFilter = { q: '', show: 'pending', sort: 'newest' }
  const before = pages([[9, 8]])
  expect(idsOf(upsertSong(before, song(9, { revision: 2, status: 'ready' }), pending))).toEqual([['8']])
  expect(upsertSong(before, song(10, { status: 'ready' }), pending)).toBe(before)
  expect(
    idsOf(upsertSong(before, song(10, { style: 'Slow JA\u0301ZZ' }), { ...ALL, q: 'j\u00e1zz' })),
  ).toEqual([['10', '9', '8']])
})

test('an archived song is only in the list of archived ones, a favourite also in that of favourites', () => {
  const shown = (rest: object) =>
    (['', 'pending', 'favourite', 'archived'] as const).filter(
      (show) => idsOf(upsertSong(pages([[]]), song(1, rest), { ...ALL, show })).flat().length > 0,
    )
  expect(shown({})).toEqual(['', 'pending'])
  expect(shown({ favourite: true, status: 'ready' })).toEqual(['', 'favourite'])
  expect(shown({ favourite: true, archived: true })).toEqual(['archived'])
  const titled = song(1, { title: 'Rain' })
  expect(idsOf(upsertSong(pages([[]]), titled, { ...ALL, q: 'rain' }))).toEqual([['1']])
})

test('in a list by title a song stays where it is, unless its title is new', () => {
  const byTitle: SongFilter = { ...ALL, sort: 'title' }
  const before = pages([[3, 9, 5]])
  const newer = (rest: object) => song(9, { revision: 2, ...rest })
  expect(idsOf(upsertSong(before, newer({ status: 'ready' }), byTitle))).toEqual([['3', '9', '5']])
  expect(needsServerOrder(before, newer({ status: 'ready' }), byTitle)).toBe(false)
  expect(needsServerOrder(before, newer({ title: 'Rain' }), byTitle)).toBe(true)
  expect(needsServerOrder(before, song(9, { title: 'an older revision' }), byTitle)).toBe(false)
  expect(needsServerOrder(before, song(4), byTitle)).toBe(true)
  expect(needsServerOrder(before, song(4, { archived: true }), byTitle)).toBe(false)
  expect(needsServerOrder(before, song(4), ALL)).toBe(false)
})

test('a song that leaves the end of the loaded pages and comes back is there again, in front of what is not loaded', () => {
  const left = upsertSong(pages([[9, 8]], 'more'), song(8, { revision: 2, archived: true }), ALL)
  expect(idsOf(left)).toEqual([['9']])
  expect(idsOf(upsertSong(left, song(8, { revision: 3 }), ALL))).toEqual([['9', '8']])
  expect(upsertSong(left, song(7), ALL)).toBe(left)
})

test('a song that has moved between the reads of two pages is in one of them', () => {
  const moved = song(6, { id: 'id-9', revision: 2 })
  const [first, second] = pages([[9, 8], [7]]).pages
  const read = { pages: [first!, { ...second!, items: [...second!.items, moved] }], pageParams: [] }
  expect(idsOf(upsertSong(read, moved, ALL))).toEqual([['8'], ['7', '9']])
})
