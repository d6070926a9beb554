import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from './support/eventually.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { connectionOptions, withOwnerConnection } from '../src/database/connection.ts'
import type { Database } from '../src/database/index.ts'
import { assertCommitted, firstFailure } from '../src/database/database.ts'
import { TimedOut, Unavailable } from '../src/errors.ts'
import { schemaOf, serviceDatabase } from '../src/events/index.ts'
import { holdOpen, testDatabase, testLogger } from './support/index.ts'
import { Counted } from './conformance/counted.ts'
import { migrate, roleUrl } from '../migrate/index.ts'

const PASSWORD = 'test-role-password'

async function startDatabase(limits: { statementTimeoutMs?: number } = {}) {
  const server = await testDatabase()
  const schema = { name: 'songs', migrations: new URL('tally/', import.meta.url) } as const
  await migrate(server.adminUrl, schemaOf(schema), PASSWORD, testLogger())
  const url = roleUrl(server.adminUrl, 'songs', PASSWORD)
  const db = serviceDatabase({ url, service: 'songs', clock: systemClock, logger: testLogger(), ...limits })
  return {
    db,
    asOwner: (sql: string) => withOwnerConnection(server.adminUrl, (owner) => owner.query(sql)),
    rows: async (table: string) =>
      (await db.query<{ n: number }>(`select count(*) as n from ${table}`)).rows[0]?.n,
    [Symbol.asyncDispose]: async () => {
      await db.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a transaction that has ended refuses a late statement', async () => {
  await using database = await startDatabase()
  let askLate: (() => Promise<unknown>) | undefined
  const failed = database.db.transaction((tx) => {
    askLate = () => tx.query('select 1')
    return Promise.reject(new Error('failed first'))
  })
  await expect(failed).rejects.toThrow('failed first')
  await expect(askLate?.()).rejects.toThrow('this transaction has ended')
})

test('a commit after a statement whose failure was swallowed fails, and emits nothing', async () => {
  await using database = await startDatabase()
  const swallowed = database.db.transaction(async (tx) => {
    tx.emit(Counted, { uid: 'u', n: 1 })
    await tx.query('select 1 / 0').catch(() => {})
  })
  await expect(swallowed).rejects.toThrow('22012')
  expect(await database.rows('event')).toBe(0)
})

test('a commit after a failed statement whose answer is not awaited fails with its error', async () => {
  await using database = await startDatabase()
  const failed = database.db.transaction(async (tx) => tx.execute('select 1 / 0'))
  await expect(failed).rejects.toThrow('22012')
})

test('a change whose event cannot be written is not committed', async () => {
  await using database = await startDatabase()
  const unwritable = database.db.transaction(async (tx) => {
    await tx.query(`insert into tally (uid) values ('u')`)
    tx.emit(Counted, { uid: 'u', n: 1n as unknown as number })
  })
  await expect(unwritable).rejects.toThrow('BigInt')
  const refused = database.db.transaction(async (tx) => {
    await tx.query(`insert into tally (uid) values ('u')`)
    tx.emit(Counted, { uid: null as unknown as string, n: 1 })
  })
  await expect(refused).rejects.toThrow('null value in column "key"')
  expect([await database.rows('tally'), await database.rows('event')]).toEqual([0, 0])
})

test('a listener that fails does not turn a committed transaction into an error', async () => {
  await using database = await startDatabase()
  const received: number[] = []
  database.db.onEmit(() => {
    throw new Error('a counter that was given NaN')
  })
  database.db.onEmit(({ events }) => received.push(events.length))
  await database.db.transaction(async (tx) => tx.emit(Counted, { uid: 'u', n: 1 }))
  expect(await database.rows('event')).toBe(1)
  expect(received).toEqual([1])
})

test('a statement that takes too long is timed out, which is no outage: the next one is answered', async () => {
  await using database = await startDatabase({ statementTimeoutMs: 1_000 })
  const slow = database.db.transaction((tx) => tx.query('select pg_sleep(5)'))
  await expect(slow).rejects.toBeInstanceOf(TimedOut)
  const longer = database.db.transaction((tx) => tx.query('select pg_sleep(1.5)'), {
    statementTimeoutMs: 10_000,
  })
  await longer
  expect(await database.rows('event')).toBe(0)
})

test('the events and the commit of a transaction with a longer limit have this limit too', async () => {
  await using database = await startDatabase({ statementTimeoutMs: 400 })
  await database.asOwner(`create function songs.slow() returns trigger language plpgsql as
    $$ begin perform pg_sleep(1.8); return new; end $$;
    create trigger slow before insert on songs.event execute function songs.slow();`)
  await database.db.transaction(async (tx) => tx.emit(Counted, { uid: 'u', n: 1 }), {
    statementTimeoutMs: 20_000,
  })
  expect(await database.rows('event')).toBe(1)
})

test('statements sent together may take longer than the limit of one', async () => {
  await using database = await startDatabase({ statementTimeoutMs: 2_000 })
  await database.db.transaction((tx) =>
    Promise.all(Array.from({ length: 4 }, () => tx.query('select pg_sleep(1)'))),
  )
})

test('a server that does not answer is an outage, not a time-out', async () => {
  await using database = await startDatabase({ statementTimeoutMs: 100 })
  // what the server cannot cancel
  const silent = database.db.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 0')
    await tx.query('select pg_sleep(30)')
  })
  const error = await silent.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(Unavailable)
  expect(error).not.toBeInstanceOf(TimedOut)
  expect(await database.rows('event')).toBe(0)
})

/** Ends the statements that wait, as the server does with one that takes too long. */
async function cancelWaiting(db: Database, event: string): Promise<void> {
  const cancel =
    'select pg_cancel_backend(pid) from pg_stat_activity where usename = user and wait_event_type = $1'
  await eventually(async () => expect((await db.query(cancel, [event])).rowCount).toBeGreaterThan(0))
}

test('each statement that fails after the first failure has its error', async () => {
  const report = firstFailure()
  expect(await report(Promise.resolve(1))).toBe(1)
  const answers = [Promise.reject(new Error('timed out')), Promise.reject(new Error('aborted'))]
  expect(await Promise.allSettled(answers.map(report))).toEqual(
    answers.map(() => ({ status: 'rejected', reason: new Error('timed out') })),
  )
  expect(await report(Promise.resolve(2))).toBe(2)
  await expect(report(Promise.reject(new Error('aborted')))).rejects.toThrow('timed out')
})

test('a commit that is answered by a rollback has failed', () => {
  expect(() => assertCommitted('COMMIT')).not.toThrow()
  expect(() => assertCommitted('ROLLBACK')).toThrow('was rolled back')
})

test('the error of a transaction is its first one, whichever of its statements is awaited first', async () => {
  await using database = await startDatabase()
  const { db } = database
  const failing = db.transaction(async (tx) => {
    const awaitedLate = async (): Promise<void> => {
      const [outcome] = await Promise.allSettled([tx.query('select pg_sleep(3)')])
      await delay(10)
      if (outcome.status === 'rejected') throw outcome.reason
    }
    await Promise.all([awaitedLate(), tx.query('select 1')])
  })
  await Promise.all([expect(failing).rejects.toBeInstanceOf(TimedOut), cancelWaiting(db, 'Timeout')])
  const swallowed = db.transaction((tx) => tx.query('select 1 / 0').catch(() => tx.query('select 1')))
  await expect(swallowed).rejects.toThrow('22012')
})

test('a statement that could not be prepared fails those sent with it by its own error, and succeeds later', async () => {
  await using database = await startDatabase()
  const { db } = database
  const release = await holdOpen(db, (tx) => tx.query('lock table tally in access exclusive mode'))
  const sql = 'select count(*)::int as n from tally'
  const count = () => db.transaction((tx) => Promise.all([tx.query(sql), tx.query(sql)]))
  await Promise.all([expect(count()).rejects.toBeInstanceOf(TimedOut), cancelWaiting(db, 'Lock')])
  await release()
  expect((await count()).map(({ rows }) => rows)).toEqual([[{ n: 0 }], [{ n: 0 }]])
})

test('a statement is planned once a session, whatever its values are, and never compiled', async () => {
  await using database = await startDatabase()
  const { rows } = await database.db.transaction(async (tx) => {
    for (const uids of [['a'], [], ['b', 'c'], ['d'], ['e'], ['f'], ['g']])
      await tx.query('select total from tally where uid = any($1)', [uids])
    return tx.query(
      `select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
       where statement like 'select total%'`,
    )
  })
  expect(rows).toEqual([{ generic: 7, custom: 0 }])
  expect((await database.db.query('show jit')).rows).toEqual([{ jit: 'off' }])
})

test('a server that refuses connections is an outage, not a time-out', async () => {
  const url = 'postgres://nobody:secret@127.0.0.1:1/none'
  const db = serviceDatabase({ url, service: 'songs', clock: systemClock, logger: testLogger() })
  const refused = await db.query('select 1').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Unavailable)
  expect(refused).not.toBeInstanceOf(TimedOut)
  await db.close()
})

test('every connection asks the server to notice a host that has vanished', () => {
  const { options } = connectionOptions('postgres://x@y/z', 'songs')
  for (const setting of ['tcp_keepalives_idle=10', 'tcp_keepalives_interval=5', 'tcp_user_timeout=20000'])
    expect(options).toContain(setting)
})

test('a server without disk space or memory is an outage, so no event is parked for it', async () => {
  await using database = await startDatabase()
  for (const state of ['53100', '53200', '58030']) {
    const failing = database.db.query(`do $$ begin raise 'none is left' using errcode = '${state}'; end $$`)
    await expect(failing).rejects.toBeInstanceOf(Unavailable)
    expect((await database.db.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  }
})
