import { expect, test } from 'vitest'
import { formatsFor } from '../src/messages/format.ts'
import { fr } from '../src/messages/fr.ts'

/** All sentences of a catalogue that need nothing to be said. */
const sentences = (of: unknown): string[] =>
  typeof of === 'string'
    ? [of]
    : typeof of === 'object' && of !== null
      ? Object.values(of).flatMap(sentences)
      : []

test('no line of French begins with the sign that ends a clause: a no-break space stands before it', () => {
  const all = sentences(fr)
  expect(all.length).toBeGreaterThan(150)
  expect(all.filter((one) => /[\p{L}\d] [:;!?%$]/u.test(one))).toEqual([])
  expect(fr.landing.tagline).toMatch(/studio\u00a0!$/)
})

test('a day stays in one line and so does an hour: a time breaks between the two', () => {
  const at = new Date(2026, 10, 22, 15, 39).getTime()
  const lines = ['en', 'fr'].map((locale) => formatsFor(locale).when(at).split(' '))
  expect(lines.map(([day]) => day?.replaceAll('\u00a0', ' '))).toEqual(['Nov 22, 2026,', '22 nov. 2026,'])
  expect(lines.map((parts) => parts.length)).toEqual([2, 2])
})
