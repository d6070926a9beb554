import './browser.ts'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { saveNote, typeNote } from '../src/features/operator/desk/internal-note.tsx'
import { song } from './held-api.ts'
import { loadTexts } from './rendered.tsx'

/** What the operator types into the internal note of a song. */

vi.hoisted(() =>
  Object.assign(globalThis, {
    location: { pathname: '/operator', search: '', hash: '' },
    removeEventListener: () => {},
  }),
)

beforeAll(loadTexts)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test.for([
  ['a connection that is lost', 503, 2],
  ['a refusal', 400, 1],
] as const)('after %s the note is sent again only where that may help', async ([, status, times]) => {
  vi.useFakeTimers()
  const sent: RequestInit[] = []
  vi.stubGlobal('fetch', async (_path: string, init: RequestInit) =>
    sent.push(init) === 1 ? Response.json({}, { status }) : Response.json(song(1)),
  )
  typeNote('id-1', 'more horns')
  await saveNote('id-1')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sent.map(({ body, keepalive }) => [body, keepalive])).toEqual(
    Array.from({ length: times }, () => ['{"text":"more horns"}', true]),
  )
})
