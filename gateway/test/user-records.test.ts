import type { Database } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { gatewaySchema } from '../src/index.ts'
import { userRecords } from '../src/store/users.ts'

const person = (identity: string, name = 'Ada') => ({
  identity,
  name,
  email: `${identity}@example.org`,
  photoUrl: null,
})

/** Records on a real database; `answered` is what each read waits for before it is told what it found. */
async function start({ alone }: { alone: boolean }) {
  const service = await testService(() => ({
    name: 'gateway',
    ...gatewaySchema,
    routes: () => {},
    reactions: [],
    jobs: [],
  }))
  const told = { reads: 0, answered: Promise.resolve() }
  const db: Database = {
    reads: service.db.reads,
    close: () => service.db.close(),
    transaction: (work) => service.db.transaction(work),
    query: async <R>(sql: string, params?: readonly unknown[]) => {
      const found = await service.db.query<R>(sql, params)
      told.reads++
      await told.answered
      return found
    },
  }
  return {
    ...userRecords(db, { alone }),
    told,
    admin: service.admin,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

afterEach(() => void vi.useRealTimers())

test('a single gateway reads a record from its cache, for five seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using records = await start({ alone: true })
  const uid = await records.signInUser(person('ada'))
  const user = await records.findUser(uid)
  expect(user).toMatchObject({ uid, name: 'Ada', email: 'ada@example.org' })
  vi.setSystemTime(Date.now() + 4_999)
  expect(await records.findUser(uid)).toEqual(user)
  expect(records.told.reads).toBe(1)
  vi.setSystemTime(Date.now() + 1)
  expect(await records.findUser(uid)).toEqual(user)
  expect(records.told.reads).toBe(2)
})

test('beside other gateways each question is the database’s to answer', async () => {
  await using records = await start({ alone: false })
  const uid = await records.signInUser(person('ada'))
  expect((await records.findUser(uid))?.name).toBe('Ada')
  await records.admin.query(`update user_record set name = 'Changed by another'`)
  expect((await records.findUser(uid))?.name).toBe('Changed by another')
})

test('a sign-in is read back at once, of a known person and of a new one', async () => {
  await using records = await start({ alone: true })
  expect(await records.findUser('ada')).toBeNull()
  expect(await records.signInUser(person('ada'))).toBe('ada')
  expect((await records.findUser('ada'))?.name).toBe('Ada')
  await records.signInUser(person('ada', 'Ada King'))
  expect((await records.findUser('ada'))?.name).toBe('Ada King')
})

test('a closed account is not found, even when it was being read meanwhile', async () => {
  await using records = await start({ alone: true })
  const uid = await records.signInUser(person('ada'))
  expect(await records.findUser(uid)).not.toBeNull()
  await records.signInUser(person('ada')) // what was remembered is forgotten: the next one reads
  const held = Promise.withResolvers<void>()
  records.told.answered = held.promise
  const early = records.findUser(uid)
  await vi.waitFor(() => expect(records.told.reads).toBe(2))
  await records.closeUser(uid, 'person')
  records.told.answered = Promise.resolve()
  const late = records.findUser(uid)
  held.resolve()
  expect((await early)?.uid).toBe(uid)
  expect(await late).toBeNull()
  expect(await records.findUser(uid)).toBeNull()
  await expect(records.closeUser(uid, 'operator')).rejects.toThrow('user_not_found')
})
