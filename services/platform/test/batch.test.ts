import { expect, test } from 'vitest'
import { Unavailable } from '../src/errors.ts'
import { batched } from '../src/batch.ts'

const WIDE = { concurrency: 1, maxSize: 100 }

test('calls of one tick are one batch, and each gets its own answer', async () => {
  const loads: number[][] = []
  const double = batched(async (items: readonly number[]) => {
    loads.push([...items])
    return items.map((item) => item * 2)
  }, WIDE)
  expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6])
  expect(loads).toEqual([[1, 2, 3]])
})

test('calls while as many batches as may are in flight form the next ones', async () => {
  const loads: number[] = []
  const same = batched(
    async (items: readonly number[]) => {
      loads.push(items.length)
      await new Promise((resolve) => setImmediate(resolve))
      return items
    },
    { concurrency: 1, maxSize: 3 },
  )
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => same(i)))
  expect(answers).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(loads).toEqual([3, 3, 2])
})

test('a bad item of a batch fails alone', async () => {
  const same = batched(async (items: readonly number[]) => {
    if (items.includes(13)) throw new RangeError('unlucky')
    return items
  }, WIDE)
  const answers = await Promise.allSettled([same(1), same(13), same(2)])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('with a time limit a call that waits for the batches before it is Unavailable in time', async () => {
  const first = Promise.withResolvers<void>()
  let loads = 0
  const same = batched(
    async (items: readonly number[]) => {
      loads++
      await first.promise
      return items
    },
    { concurrency: 1, maxSize: 1, timeoutMs: 50 },
  )
  const answers = await Promise.allSettled([same(1), same(2)])
  for (const answer of answers) expect(answer).toMatchObject({ reason: expect.any(Unavailable) })
  expect(loads).toBe(1)
  first.resolve()
  expect(await same(3)).toBe(3)
})

test('Unavailable is for all of a batch, which is not tried again', async () => {
  let asked = 0
  const none = batched(async (_items: readonly number[]): Promise<number[]> => {
    asked++
    throw new Unavailable('the database', 'test')
  }, WIDE)
  const answers = await Promise.allSettled([none(1), none(2)])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(asked).toBe(1)
})
