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
  ['a server that is down', 503, [0, 5, 20, 35]],
  ['a refusal', 400, [0, 5]],
] as const)(
  'after %s the note is sent again only where that may help, every fifteen seconds however often it was typed',
  async ([, status, seconds]) => {
    vi.useFakeTimers({ now: 0 })
    const sent: { at: number; init: RequestInit }[] = []
    vi.stubGlobal('fetch', async (_path: string, init: RequestInit) =>
      sent.push({ at: Date.now() / 1_000, init }) < 4
        ? Response.json({}, { status })
        : Response.json(song(1)),
    )
    for (const text of ['more', 'more horns']) {
      typeNote('id-1', text)
      await saveNote('id-1')
      await vi.advanceTimersByTimeAsync(5_000)
    }
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent.map(({ at }) => at)).toEqual(seconds)
    expect(sent.at(-1)?.init).toMatchObject({ body: '{"text":"more horns"}', keepalive: true })
  },
)
