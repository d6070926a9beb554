import { expect, test } from 'vitest'
import { markDirections } from '../src/index.ts'

test('the characters that change the direction of a text are marked', () => {
  const all = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
  expect(markDirections(`a${all}b`)).toBe(`a${'\uFFFD'.repeat(9)}b`)
})

test('letters of any direction with their marks, joiners and emoji stay', () => {
  for (const text of ['Ada', 'مرحبا', 'שלום', '👩\u200D🎤', 'a\u200Cb', '\u200Fשלום!\u200E', '\u061C1'])
    expect(markDirections(text)).toBe(text)
})
