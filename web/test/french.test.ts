import { expect, test } from 'vitest'
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
