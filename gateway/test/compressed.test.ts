import { expect, test, vi } from 'vitest'
import { keptCompressed } from '../src/api/plugins/compressed.ts'

test('a text is made and compressed once a version', () => {
  const compressed = keptCompressed()
  const make = vi.fn<() => string>(() => 'text')
  const first = compressed('1', make)
  expect(compressed('1', make)).toBe(first)
  expect(compressed('2', make)).not.toBe(first)
  expect(make).toHaveBeenCalledTimes(2)
})
