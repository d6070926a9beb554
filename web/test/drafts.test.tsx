import './browser.ts'
import type { Draft, Song } from '@prelude/contracts'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { draftsQuery, makeDrafts, remakeDraft } from '../src/api/drafts.ts'
import { queryClient } from '../src/api/query-client.ts'
import { type Files, NO_FILES } from '../src/features/operator/delivery.ts'
import { DraftItem, Drafts, stateOf } from '../src/features/operator/desk/drafts.tsx'
import { partAround } from '../src/features/operator/desk/redo-part.tsx'
import { DraftFile } from '../src/features/operator/draft-file.ts'
import { draftOf, madeAfter } from '../src/features/operator/made-fields.tsx'
import { song } from './held-api.ts'
import { loadTexts, textOf } from './rendered.tsx'

/** Drafts of a music generator at the operator's desk. */

beforeAll(loadTexts)
afterEach(() => void vi.unstubAllGlobals())

const draft = (rest: Partial<Draft> = {}): Draft =>
  ({ id: 'd', n: 3, state: 'ready', createdAt: 5, expectedAt: null, error: null, ...rest }) as Draft
const itemOf = (given: Partial<Draft>, of: Partial<Song> = {}, canUse = true): string =>
  textOf(
    <DraftItem
      song={song(1, of)}
      draft={draft(given)}
      files={NO_FILES}
      onChoose={canUse ? () => {} : null}
      onRemoved={() => {}}
    />,
  )

test.for<[Partial<Draft>, string]>([
  [{ state: 'waiting' }, 'Waiting'],
  [{ state: 'waiting', error: 'The generator is busy.' }, 'Waiting: The generator is busy.'],
  [{ state: 'waiting', expectedAt: 240_000 }, 'Waiting · ready in about 4 min'],
  [{ state: 'making', expectedAt: 30_000 }, 'Being made · ready in about 1 min'],
  [{ state: 'making', expectedAt: 0 }, 'Being made'],
  [{ durationMs: 161_000 }, 'Ready · 2:41'],
  [{ state: 'failed', error: 'No memory left.' }, 'Failed: No memory left.'],
  [{ state: 'lost' }, 'Lost'],
])('the state of a draft in words: %j', ([given, text]) => {
  expect(stateOf(draft({ durationMs: null, ...given }), 1)).toBe(text.replace(/(\d) min/, '$1\u00A0min'))
})

test('a draft can be used once it is ready and the song can be delivered, and made again when it is lost or failed', () => {
  expect(itemOf({})).toMatch(/Draft 3 Ready.*Use as Version 1 Use as Version 2/)
  expect(itemOf({}, {}, false)).not.toContain('Use as')
  expect(itemOf({ state: 'making' })).not.toContain('Use as')
  for (const state of ['failed', 'lost'] as const) expect(itemOf({ state })).toContain('Try again')
})

test('of a lost draft that was a part made again the same part is asked for, of any other a whole one', async () => {
  const asked: unknown[] = []
  vi.stubGlobal('fetch', async (_path: string, { body }: RequestInit) => {
    asked.push(body)
    return Response.json({ items: [draft({ id: 'part' })] })
  })
  const again = { draftId: 'whole', fromMs: 1_000, toMs: 9_000 }
  await makeDrafts('id-1', { again })
  await remakeDraft(draft({ id: 'part', songId: 'id-1' }))
  await remakeDraft(draft({ id: 'whole', songId: 'id-1' }))
  expect(asked).toEqual([{ again }, { again }, { count: 1 }].map((body) => JSON.stringify(body)))
})

test('of a draft that was asked for before the words were corrected it says so', () => {
  const text = 'asked for before the words were changed'
  expect(itemOf({}, { correctedAt: 6 })).toContain(text)
  expect(itemOf({}, { correctedAt: 4 })).not.toContain(text)
})

test('of a song that was asked for before a generator was in use it says so', () => {
  const text = 'before a music generator was in use'
  const shown = (generatorSince: number | null): string => {
    queryClient.setQueryData(draftsQuery('id-5').queryKey, { items: [], generatorSince })
    return textOf(<Drafts song={song(5)} files={NO_FILES} onChoose={null} />)
  }
  expect(shown(6)).toContain(text)
  for (const since of [4, null]) expect(shown(since)).not.toContain(text)
})

test.for([
  [20_000, 60_000, 16_000, 28_000],
  [1_000.4, 60_000, 0, 9_000],
  [57_000, 60_000.9, 53_000, 60_000],
  [90_000, 60_000, 56_000, 60_000],
] as const)(
  'the part around %d ms of a recording of %d ms is from %d to %d ms',
  ([at, length, fromMs, toMs]) => {
    expect(partAround(at, length)).toEqual({ fromMs, toMs })
  },
)

test('of a draft it is preset that a generator made it, and a file that changes its version takes along what is stated of it', () => {
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify([{ how: 'people', with: null }, null]) })
  const made = new DraftFile(new Blob([''], { type: 'audio/mpeg' }), draft({ with: 'ACE-Step 1.5' }))
  expect(made.name).toBe('draft-3.mp3')
  const own = new File([''], 'own.wav')
  const before = [draftOf({ how: 'people', with: null }), draftOf(null)] as const
  const after = (from: Files, to: Files, stated = before) => madeAfter(stated, from, to)
  const ai = draftOf({ how: 'ai', with: 'ACE-Step 1.5' })
  expect(after(NO_FILES, [made, null])).toEqual([ai, before[1]])
  expect(after([own, null], [own, made])).toEqual([before[0], ai])
  expect(after([own, made], [made, own], [before[0], ai])).toEqual([ai, before[0]])
  // in its place comes a file of people
  expect(after([made, null], [own, null], [ai, before[1]])).toEqual(before)
})
