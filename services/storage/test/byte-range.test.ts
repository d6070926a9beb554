import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { matches, rangeHolds, rangeOf } from '../src/domain/byte-range.ts'

/** Of 100 bytes. */
const RANGES: [string | undefined, ReturnType<typeof rangeOf>][] = [
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-', { start: 0, end: 99 }],
  ['bytes=10-19', { start: 10, end: 19 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=99-', { start: 99, end: 99 }],
  ['bytes=-1', { start: 99, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['Bytes=5-6', { start: 5, end: 6 }],
  ['bytes=100-', 'outside'],
  ['bytes=-0', 'outside'],
  ['bytes=99999999999999999999-', 'outside'],
  [undefined, 'whole'],
  ['', 'whole'],
  ['bytes=', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes=5-4', 'whole'],
  ['bytes=1 2-3', 'whole'],
  ['bytes=--1', 'whole'],
  ['bytes=0x1-2', 'whole'],
  ['items=0-1', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
]

test('a header asks for one part, for something outside of the object, or else for the whole', () => {
  expect(RANGES.map(([header]) => [header, rangeOf(header, 100)])).toEqual(RANGES)
  expect(['bytes=0-', 'bytes=-5'].map((header) => rangeOf(header, 0))).toEqual(['outside', 'outside'])
})

test('a part always lies inside of the object', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 2 ** 31 }), (start, end, size) => {
      for (const header of [`bytes=${start}-${end}`, `bytes=${start}-`, `bytes=-${end}`]) {
        const range = rangeOf(header, size)
        if (typeof range === 'string') continue
        expect(range.start).toBeGreaterThanOrEqual(0)
        expect(range.start).toBeLessThanOrEqual(range.end)
        expect(range.end).toBeLessThan(size)
      }
    }),
    { seed: inject('seed') },
  )
})

test('an etag matches itself, in a list, weakly, and by a star', () => {
  for (const header of ['"a"', '"b", "a"', 'W/"a"', '*']) expect(matches(header, '"a"')).toBe(true)
  for (const header of [undefined, '', '"b"', 'a']) expect(matches(header, '"a"')).toBe(false)
})

test('a range holds only for the very content that If-Range names', () => {
  expect(rangeHolds(undefined, '"a"')).toBe(true)
  expect(rangeHolds('"a"', '"a"')).toBe(true)
  for (const header of ['"b"', 'W/"a"', 'Wed, 21 Oct 2015 07:28:00 GMT'])
    expect(rangeHolds(header, '"a"')).toBe(false)
})
