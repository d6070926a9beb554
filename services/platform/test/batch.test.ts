import { expect, test } from 'vitest'
import { Unavailable } from '../src/errors.ts'
import { batched, gatheredInTx } from '../src/batch.ts'
import { postgresDatabase } from '../src/database/database.ts'
import { testDatabase, testLogger } from '../src/testing/index.ts'

async function startDatabase() {
  const server = await testDatabase()
  const db = postgresDatabase({ url: server.adminUrl, schema: 'public', logger: testLogger() })
  return {
    db,
    [Symbol.asyncDispose]: async () => {
      await db.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

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

test('inside a transaction the same holds, each transaction for itself', async () => {
  await using database = await startDatabase()
  const loads: number[][] = []
  const plusOne = gatheredInTx(async (tx, items: readonly number[]) => {
    loads.push([...items])
    const { rows } = await tx.query<{ n: number }>('select n + 1 as n from unnest($1::int[]) as n', [items])
    return rows.map(({ n }) => n)
  })
  const both = await Promise.all(
    [10, 20].map((base) =>
      database.db.transaction((tx) => Promise.all([plusOne(tx, base), plusOne(tx, base + 1)])),
    ),
  )
  expect(both).toEqual([
    [11, 12],
    [21, 22],
  ])
  expect(loads.map((items) => items.length)).toEqual([2, 2])
})

test('a transaction that has ended refuses what is asked late', async () => {
  await using database = await startDatabase()
  let askLate: (() => Promise<unknown>) | undefined
  const failed = database.db.transaction((tx) => {
    askLate = () => tx.query('select 1')
    return Promise.reject(new Error('failed first'))
  })
  await expect(failed).rejects.toThrow('failed first')
  await expect(askLate?.()).rejects.toThrow('this transaction has ended')
})

test('a commit after a statement that failed unseen is told as a failure, and emits nothing', async () => {
  await using database = await startDatabase()
  const swallowed = database.db.transaction(async (tx) => {
    await tx.query('select 1 / 0').catch(() => {})
  })
  await expect(swallowed).rejects.toThrow('rolled back')
})
