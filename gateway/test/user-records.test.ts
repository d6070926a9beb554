import { type Database, deleteInSteps } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { gatewaySchema } from '../src/index.ts'
import { closeAccount, keysOfClosed } from '../src/accounts/store/closed-accounts.ts'
import { userRecords } from '../src/accounts/store/users.ts'

const person = (identity: string, name = 'Ada') => ({
  identity,
  name,
  givenName: null,
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
  return {
    db: service.db,
    ...userRecords(service.db, service.clock),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** One of the person, one about the person. */
const keepAnswers = async (db: Database, uid: string): Promise<void> => {
  await db.query(
    `insert into idempotency_key
       (uid, method, path, key, fingerprint, resource_id, attempt, created_at, started_at, status, about_uid)
     select owner, 'POST', '/x', 'k', '', gen_random_uuid(), gen_random_uuid(), 0, 0, 200, about
     from (values ($1::text, null), ('operator', $1)) as kept (owner, about)`,
    [uid],
  )
}

test('a person who signs in again is found as they are now, and one who was not there before is found', async () => {
  await using records = await start()
  expect(await records.findUser('ada')).toBeNull()
  expect(await records.signInUser(person('ada'))).toBe('ada')
  expect((await records.findUser('ada'))?.name).toBe('Ada')
  await records.signInUser(person('ada', 'Ada King'))
  expect((await records.findUser('ada'))?.name).toBe('Ada King')
})

test('a closed account is not found, and cannot be closed again; who signs in again gets a new one, and keeps it', async () => {
  await using records = await start()
  const uid = await records.signInUser(person('ada'))
  expect(await records.findUser(uid)).not.toBeNull()
  await records.closeUser(uid, 'person')
  expect(await records.findUser(uid)).toBeNull()
  await expect(records.closeUser(uid, 'operator')).rejects.toThrow('user_not_found')
  const next = await records.signInUser(person('ada'))
  expect(next).not.toBe(uid)
  expect(await records.signInUser(person('ada'))).toBe(next)
})

test('closing an account deletes the answers kept for the person or about them, and reads no others', async () => {
  await using records = await start()
  const { db } = records
  const uid = await records.signInUser(person('ada'))
  await db.query(
    `insert into idempotency_key
       (uid, method, path, key, fingerprint, resource_id, attempt, created_at, started_at, status, about_uid)
     select 'u' || n, 'POST', '/x', 'k', '', gen_random_uuid(), gen_random_uuid(), 0, 0, 200, 'about' || n
     from generate_series(1, 20000) as n`,
  )
  await keepAnswers(db, uid)
  await db.query('analyze idempotency_key')
  await db.transaction(async (tx) => {
    await closeAccount(tx, { uid, by: 'person', at: 1 })
    const { rows } = await tx.query(
      `select seq_scan as scans, (select count(*)::integer from idempotency_key where uid in ($1, 'operator')) as left
       from pg_stat_xact_user_tables where relid = 'idempotency_key'::regclass`,
      [uid],
    )
    expect(rows).toEqual([{ scans: 0, left: 0 }])
  })
})

test('answers that were kept while an account was being closed are deleted afterwards, those of others stay', async () => {
  await using records = await start()
  const { db } = records
  const [ada, bob] = [await records.signInUser(person('ada')), await records.signInUser(person('bob'))]
  await db.transaction((tx) => closeAccount(tx, { uid: ada, by: 'person', at: 1_000 }))
  await keepAnswers(db, ada)
  await db.query(`update idempotency_key set key = 'of ada'`)
  await keepAnswers(db, bob)
  await deleteInSteps(db, keysOfClosed(2_000), new AbortController().signal)
  const { rows } = await db.query('select about_uid as about from idempotency_key order by about')
  expect(rows).toEqual([{ about: bob }, { about: null }])
})
