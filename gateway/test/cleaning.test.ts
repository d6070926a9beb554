import { expect, test } from 'vitest'
import { startGateway } from './start-gateway.ts'

/** Tables that grow with use, and the job that deletes their old rows. */
const TABLES = [
  [
    'idempotency_key',
    'delete-idempotency-keys',
    `insert into idempotency_key (uid, method, path, key, fingerprint, resource_id, attempt, created_at, started_at)
     select 'u', 'POST', '/', n::text, '', gen_random_uuid(), gen_random_uuid(), $2, $2 from generate_series(1, $1::int) n`,
  ],
  [
    'session_of',
    'delete-old-sessions',
    `insert into session_of (id, hash, uid, created_at, expires_at, browser)
     select gen_random_uuid(), gen_random_uuid()::text, 'u', $2, $2, '' from generate_series(1, $1::int)`,
  ],
  [
    'closing_mail',
    'delete-old-closing-mails',
    `insert into closing_mail (uid, email, closed_at) select gen_random_uuid()::text, '', $2 from generate_series(1, $1::int)`,
  ],
  [
    'client_error',
    'delete-old-client-errors',
    `insert into client_error (message, release, page, count, first_at, last_at)
     select gen_random_uuid()::text, '', '', 1, $2, $2 from generate_series(1, $1::int)`,
  ],
  [
    'unconfirmed_credit',
    'delete-old-unconfirmed-credits',
    `insert into unconfirmed_credit (id, uid, cents, at)
     select gen_random_uuid(), 'u', 1, $2 from generate_series(1, $1::int)`,
  ],
] as const

const YEAR_MS = 365 * 24 * 60 * 60_000

test.for(TABLES)('old rows of %s are deleted in statements of bounded size', async ([table, job, insert]) => {
  await using gateway = await startGateway()
  const { admin } = gateway.service
  await admin.query(`create function bounded() returns trigger language plpgsql as $$ begin
      if (select count(*) from gone) > 10000 then raise 'too many rows in one statement'; end if; return null; end $$`)
  await admin.query(`create trigger bounded after delete on ${table} referencing old table as gone
      for each statement execute function bounded()`)
  const now = gateway.clock.now()
  await admin.query(insert, [10_001, now - YEAR_MS])
  await admin.query(insert.replaceAll('n::text', `'new ' || n`), [2, now + YEAR_MS])
  await gateway.runJob(job)
  expect((await admin.query(`select from ${table}`)).rowCount).toBe(2)
})

test('expired entries of the key-value store are deleted by a job like others', async () => {
  await using gateway = await startGateway()
  await gateway.kv.set('short', 'v', 60_000)
  await gateway.kv.set('long', 'v', 4 * 60_000)
  gateway.clock.pass(2 * 60_000)
  await gateway.runJob('delete-expired-entries')
  gateway.clock.pass(-60_000 - 1)
  expect([await gateway.kv.get('short'), await gateway.kv.get('long')]).toEqual([null, 'v'])
})
