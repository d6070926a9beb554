import { expect, test } from 'vitest'
import { once } from '../src/once.ts'

test('concurrent and later calls share one outcome, and a failure is not kept', async () => {
  let calls = 0
  const count = once(async () => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls
  })
  await expect(Promise.all([count(), count()])).rejects.toThrow('not yet')
  expect(calls).toBe(1)
  expect(await Promise.all([count(), count()])).toEqual([2, 2])
  expect(await count()).toBe(2)
})
