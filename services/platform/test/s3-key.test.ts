import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { escaped, keyOf, pathOf } from '../src/blobs/s3-key.ts'

test('the paths of songs are their own keys', () => {
  const path = 'songs/0198c0de-0000-7000-8000-000000000000/version1_my-Song.2.mp3'
  expect(keyOf(path)).toBe(path)
})

test('every path has a key of its own that needs no escaping, and its prefixes are prefixes of that key', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((text) => !text.includes('/') && text !== '.' && text !== '..' && text.isWellFormed())
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.nat(), (segments, cut) => {
      const path = segments.join('/')
      const key = keyOf(path)
      expect(pathOf(key)).toBe(path)
      expect(key).toMatch(/^[\w~\u0080-\u{10FFFF}][\w~./\u0080-\u{10FFFF}-]*$/u)
      expect(key).not.toMatch(/^\d/)
      const characters = Array.from(path)
      expect(key.startsWith(escaped(characters.slice(0, cut % characters.length).join('')))).toBe(true)
    }),
    { seed: inject('seed') },
  )
})
