import { CreditsAdded, EVENTS } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { AGGREGATES } from './support/aggregates.ts'
import { testService } from './support/index.ts'

test('every event has a row that orders it', () => {
  expect(Object.keys(AGGREGATES).toSorted()).toEqual([...new Set(EVENTS.map(({ type }) => type))].toSorted())
})

test('an event that is emitted without the lock on its aggregate fails its transaction', async () => {
  const migrations = new URL('tally/', import.meta.url)
  await using credits = await testService(() => ({
    name: 'credits',
    migrations,
    subscribers: [],
    routes: () => {},
  }))
  await credits.admin.query('create table account (uid text primary key)')
  await credits.admin.query('grant select, update on account to prelude_credits')
  await credits.admin.query(`insert into account values ('u')`)
  const add = (lock: string) =>
    credits.db.transaction(async (tx) => {
      await tx.query(lock)
      const posting = { balance: 1, version: 1 }
      tx.emit(CreditsAdded, { uid: 'u', amount: 1, reason: 'top_up', reference: null, ...posting })
    })
  await expect(add(`select 1 from account where uid = 'u'`)).rejects.toThrow(
    'without the lock on its account',
  )
  await add(`select 1 from account where uid = 'u' for update`)
  await add(`update account set uid = uid where uid = 'u'`)
  expect(await credits.emitted()).toHaveLength(2)
})
