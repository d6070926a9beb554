import './browser.ts'
import type { Song } from '@prelude/contracts'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { queryClient } from '../src/api/query-client.ts'
import { Due } from '../src/features/operator/desk/desk-song.tsx'
import { ReadySongs } from '../src/features/operator/ready-songs.tsx'
import { song } from './held-api.ts'
import { loadTexts, textOf } from './rendered.tsx'

// the router reads it while it loads
vi.hoisted(() => Object.assign(globalThis, { location: { pathname: '/operator', search: '', hash: '' } }))

beforeAll(loadTexts)
afterEach(() => queryClient.clear())

const DAY_MS = 86_400_000

test('a delivered song keeps its time in the lists of the operator when a file is replaced', () => {
  const now = Date.now()
  const replaced: Song = song(now - 5 * DAY_MS, {
    status: 'ready',
    email: 'ada@example.com',
    closedAt: null,
    changes: null,
    updatedAt: now,
    timeline: [{ state: 'delivered', at: now - 3 * DAY_MS }],
  })
  queryClient.setQueryData(['operator', 'songs', { status: 'ready' }], {
    pages: [{ items: [replaced], nextCursor: null }],
    pageParams: [''],
  })
  expect(textOf(<ReadySongs />)).toContain('ada@example.com · 3 days ago')
  expect(textOf(<Due song={replaced} />)).toContain('delivered 3 days ago')
})
