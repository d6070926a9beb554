import './browser.ts'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Me, StatementEntry } from '@prelude/contracts'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { entriesQuery } from '../src/api/credits.ts'
import { meQuery } from '../src/api/me.ts'
import { queryClient } from '../src/api/query-client.ts'
import { putSong, songNamesQuery } from '../src/api/songs.ts'
import Statement from '../src/features/payments/statement.tsx'
import { songName } from '../src/text/song-name.ts'
import { heldApi, song } from './held-api.ts'
import { loadTexts, textOf } from './rendered.tsx'

// the router reads it while it loads
vi.hoisted(() => Object.assign(globalThis, { location: { pathname: '/statement', search: '', hash: '' } }))

/** What songs are called, in lists that are not of songs too: notices and the statement. */

beforeAll(loadTexts)
afterEach(() => {
  queryClient.clear()
  vi.unstubAllGlobals()
})

test('a song is called by its title, else its style, else Untitled', () => {
  expect(
    [
      { title: 'Rain', style: 'folk' },
      { title: null, style: 'folk' },
      { title: null, style: ' ' },
      { title: null, style: 'slow\u2028folk' },
    ].map(songName),
  ).toEqual(['Rain', 'folk', 'Untitled', 'slow\nfolk'])
})

test('names are read from the server, those of archived songs too, whatever lists the page has', async () => {
  const api = heldApi()
  const names = queryClient.fetchQuery(songNamesQuery(['id-2', 'id-1', 'id-0']))
  const answer = async (index: number, ...items: object[]): Promise<void> => {
    await expect.poll(() => api.paths).toHaveLength(index + 1)
    api.answer(index, { items, nextCursor: 'next' })
  }
  await answer(0, song(3), song(2, { title: 'Rain' }))
  // older than the oldest that is wanted: no page after it is read
  await answer(1, song(1, { title: null }), { ...song(0), id: 'id' })
  await answer(2, song(0, { title: 'Archived' }))
  expect(await names).toEqual(
    new Map([
      ['id-2', 'Rain'],
      ['id-1', 'folk'],
      ['id-0', 'Archived'],
    ]),
  )
  expect(api.paths[2]).toContain('archived=true')
})

const entry = (reference: string): StatementEntry => ({
  id: reference,
  amount: -10,
  balanceAfter: 0,
  reason: 'song',
  reference,
  createdAt: 0,
})

test('the statement calls a song by its title, also by one that was given since', () => {
  queryClient.setQueryData(meQuery.queryKey, { uid: 'u1', operator: {} } as Me)
  queryClient.setQueryData(entriesQuery.queryKey, {
    pages: [{ items: [entry('id-1'), entry('id-2')], nextCursor: null }],
    pageParams: [''],
  })
  const ids = ['id-1', 'id-2']
  queryClient.setQueryData(
    songNamesQuery(ids).queryKey,
    new Map([
      ['id-1', 'Rain'],
      ['id-2', 'folk'],
    ]),
  )
  expect(textOf(<Statement signedIn />)).toMatch(/ Rain .* folk /)
  putSong(song(2, { uid: 'u1', title: 'Snow', revision: 2 }))
  putSong(song(2, { uid: 'u1', title: 'Hail', revision: 1 }))
  expect(textOf(<Statement signedIn />)).toMatch(/ Rain .* Snow /)
})

const SRC = resolve(import.meta.dirname, '../src')
/** Files of the app whose source matches. */
const filesWith = (pattern: RegExp): string[] =>
  globSync('{api,app,audio,browser,features,offline,state,text,ui}/**/*.{ts,tsx}', { cwd: SRC })
    .filter((file) => pattern.test(readFileSync(`${SRC}/${file}`, 'utf8')))
    .toSorted()

test('what a song is called, and what a visitor reads of a page for a person, are written once', () => {
  expect(filesWith(/title \?\? [^']*style|style\b.*messages\.untitled/)).toEqual(['text/song-name.ts'])
  // a row of the audit has no title
  expect(filesWith(/(excerpt|truncate)\(\w+\.(song\.)?style\b/)).toEqual([
    'features/album/album-item.tsx', // below the title
    'features/operator/audit.tsx',
  ])
  expect(filesWith(/<p>\{messages\.signInFirst\}/)).toEqual(['ui/sign-in-first.tsx'])
  expect(filesWith(/<SignInFirst /).length).toBeGreaterThanOrEqual(6)
})
