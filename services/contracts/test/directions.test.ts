import { expect, test } from 'vitest'
import { markDirections } from '../src/index.ts'

test.for([0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])(
  'the character %i, which changes the direction of a text, is marked',
  (code) => {
    expect(markDirections(`a${String.fromCodePoint(code)}b`)).toBe('a\uFFFDb')
  },
)

test('letters of any direction with their marks, joiners and emoji stay', () => {
  for (const text of ['Ada', 'مرحبا', 'שלום', '👩\u200D🎤', 'a\u200Cb', '\u200Fשלום!\u200E', '\u061C1'])
    expect(markDirections(text)).toBe(text)
})
