import { testService } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { gatewaySchema } from '../src/index.ts'
import { userRecords } from '../src/store/users.ts'

const person = (identity: string, name = 'Ada') => ({
  identity,
  name,
  email: `${identity}@example.org`,
  photoUrl: null,
})

/** Records on a real database. */
async function start() {
  const service = await testService(() => ({
    ...gatewaySchema,
    routes: () => {},
    subscribers: [],
    jobs: [],
  }))
  return { ...userRecords(service.db), [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('a person who signs in again is found as they are now, and one who was not there before is found', async () => {
  await using records = await start()
  expect(await records.findUser('ada')).toBeNull()
  expect(await records.signInUser(person('ada'))).toBe('ada')
  expect((await records.findUser('ada'))?.name).toBe('Ada')
  await records.signInUser(person('ada', 'Ada King'))
  expect((await records.findUser('ada'))?.name).toBe('Ada King')
})

test('a closed account is not found, and cannot be closed again', async () => {
  await using records = await start()
  const uid = await records.signInUser(person('ada'))
  expect(await records.findUser(uid)).not.toBeNull()
  await records.closeUser(uid, 'person')
  expect(await records.findUser(uid)).toBeNull()
  await expect(records.closeUser(uid, 'operator')).rejects.toThrow('user_not_found')
})
