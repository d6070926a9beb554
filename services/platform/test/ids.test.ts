import { version } from 'uuid'
import { expect, test } from 'vitest'
import { isId, newId } from '../src/ids.ts'

test('ids are UUIDv7 and sort by their making, also many within a millisecond', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  expect(ids.every((id) => isId(id) && version(id) === 7)).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids.map((id) => id.slice(24))).size).toBeGreaterThan(19_000) // the rest of them is random
})
