import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteInSteps, postgresDatabase, type PostgresDatabase } from '../src/database/index.ts'
import { eventually } from './support/eventually.ts'
import { blockedConnections, holdOpen, testDatabase, testLogger } from './support/index.ts'
import type { TestDatabase } from './support/test-database.ts'

let database: TestDatabase
let db: PostgresDatabase
beforeAll(async () => {
  database = await testDatabase()
  db = postgresDatabase({ url: database.adminUrl, schema: 'public', logger: testLogger() })
  await db.query('create table item (at bigint)')
})
beforeEach(async () => {
  await db.query('truncate item')
  await db.query('insert into item select at from generate_series(1, 20002) at')
})
afterAll(async () => {
  await db.close()
  await database[Symbol.asyncDispose]()
})

const old = { table: 'item', where: 'at <= $1', params: [20_001] }

test('rows are deleted until none is left, at most 10,000 in a statement', async () => {
  const steps: number[] = []
  const counting = {
    query: async <R>(sql: string, params?: readonly unknown[]) => {
      const answer = await db.query<R>(sql, params)
      steps.push(answer.rowCount)
      return answer
    },
  }
  await deleteInSteps(counting, old, AbortSignal.abort())
  expect(steps).toEqual([])
  await deleteInSteps(counting, old, new AbortController().signal)
  expect(steps).toEqual([10_000, 10_000, 1])
  expect((await db.query('select at from item')).rows).toEqual([{ at: 20_002 }])
})

test('a row that another transaction changes meanwhile is deleted only if it is still meant', async () => {
  const commit = await holdOpen(db, (tx) => tx.query('update item set at = 30000 where at = 1'))
  const deleting = deleteInSteps(db, old, new AbortController().signal)
  await eventually(async () => expect(await blockedConnections(db)).toBe(1))
  await Promise.all([commit(), deleting])
  const { rows } = await db.query('select at from item where at > 20001 order by at')
  expect(rows).toEqual([{ at: 20_002 }, { at: 30_000 }])
})
