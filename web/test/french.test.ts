import './browser.ts'
import { expect, test } from 'vitest'
import { formatsFor } from '../src/messages/format.ts'
import { messagesIn } from './catalogues.ts'

/** All texts of a catalogue that take no parameters. */
const sentences = (of: unknown): string[] =>
  typeof of === 'string'
    ? [of]
    : typeof of === 'object' && of !== null
      ? Object.values(of).flatMap(sentences)
      : []

test('French punctuation has a no-break space before it, so that no line begins with it', async () => {
  const messages = await messagesIn('fr')
  const all = sentences(messages)
  expect(all.length).toBeGreaterThan(150)
  expect(all.filter((one) => /[\p{L}\d] [:;!?%$]/u.test(one))).toEqual([])
  expect(messages.landing.tagline).toMatch(/studio\u00a0!$/)
})

test('French has one word for the changes of a song, and typographic apostrophes', async () => {
  expect(sentences(await messagesIn('fr')).filter((one) => /changement|'/i.test(one))).toEqual([])
})

test('a date and time breaks only between the date and the time', () => {
  const at = new Date(2026, 10, 22, 15, 39).getTime()
  const lines = ['en', 'fr'].map((locale) => formatsFor(locale).when(at).split(' '))
  expect(lines.map(([day]) => day?.replaceAll('\u00a0', ' '))).toEqual(['Nov 22, 2026,', '22 nov. 2026,'])
  expect(lines.map((parts) => parts.length)).toEqual([2, 2])
})
