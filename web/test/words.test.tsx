import './browser.ts'
import type { Song } from '@prelude/contracts'
import { beforeAll, expect, test, vi } from 'vitest'
import { Words } from '../src/features/album/words.tsx'
import { messages } from '../src/messages.ts'
import { song } from './held-api.ts'
import { loadTexts, markupOf } from './rendered.tsx'

/** The words of a song on its page, with a correction that was begun. */

const kept = new Map<string, string>()
beforeAll(async () => {
  vi.stubGlobal('sessionStorage', { getItem: (key: string) => kept.get(key) ?? null })
  await loadTexts()
})

const OWN: Song = song(1, { uid: 'u1', startedAt: null, lyrics: 'old words' })
kept.set('prelude-words/id-1:u1', JSON.stringify({ lyrics: 'my better words' }))
const fields = (markup: string): string[] => markup.match(/<textarea[^>]*>[^<]*/g) ?? []

test('a correction can be saved as long as nobody has started on the song', () => {
  const markup = markupOf(<Words song={OWN} />)
  expect(markup).toContain(`>${messages.song.saveWords}<`)
  expect(markup).not.toContain(messages.song.correctedTooLate)
  for (const field of fields(markup)) expect(field).not.toContain('readOnly')
})

test('of a song that was started, delivered or cancelled meanwhile it says that it is too late, and keeps the words', () => {
  for (const rest of [{ startedAt: 5 }, { status: 'ready' }, { status: 'cancelled' }] as const) {
    const markup = markupOf(<Words song={{ ...OWN, ...rest }} />)
    expect(markup).toContain(messages.song.correctedTooLate)
    const [style = '', lyrics = ''] = fields(markup)
    expect([style, lyrics].map((field) => field.includes('readOnly'))).toEqual([true, true])
    expect([style, lyrics].map((field) => field.replace(/^[^>]*>/, ''))).toEqual(['folk', 'my better words'])
    expect(markup).not.toContain(`>${messages.song.saveWords}<`)
    expect(markup).toContain(`>${messages.song.leave}<`)
  }
})
