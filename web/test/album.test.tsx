import './browser.ts'
import { beforeAll, expect, test, vi } from 'vitest'
import { queryClient } from '../src/api/query-client.ts'
import { songsQuery } from '../src/api/songs.ts'
import { Album } from '../src/features/album/album.tsx'
import { messages } from '../src/messages.ts'
import { song } from './held-api.ts'
import { loadTexts, textOf } from './rendered.tsx'

// the router reads it while it loads
vi.hoisted(() => Object.assign(globalThis, { location: { pathname: '/', search: '', hash: '' } }))

beforeAll(loadTexts)

/** The album once so many pages are loaded. */
function albumOf(pages: number, nextCursor: string | null): string {
  const items = [song(1, { timeline: [], messages: { count: 0, unread: 0 }, promisedAt: null, title: null })]
  queryClient.setQueryData(songsQuery({ q: '', show: '', sort: 'newest' }).queryKey, {
    pages: Array.from({ length: pages }, () => ({ items, nextCursor })),
    pageParams: [],
  })
  return textOf(<Album uid="u1" />)
}

test('after three pages that scrolling loads a button loads the next one, so that the footer can be reached', () => {
  const { more } = messages.statement
  expect([1, 3, 4, 5].map((pages) => albumOf(pages, 'next').includes(more))).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect(albumOf(4, null)).not.toContain(more)
})
