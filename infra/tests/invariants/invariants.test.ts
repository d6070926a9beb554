import { createLogger, postgresDatabase, reasonOf } from '@prelude/platform'
import { chooser } from '@prelude/platform/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Life } from '../soak/life.ts'
import { MEMBERS, NEW_LOGS, type Services, startServices } from '../soak/services.ts'
import { checkInvariants } from '../../invariants/check.ts'
import { crossInvariants } from '../../invariants/cross.ts'
import { eventInvariants, SOURCES } from '../../invariants/events.ts'

/** For each rule between services one damage that breaks it, past constraints and triggers. */
const DAMAGE: Record<string, string> = {
  'songs and ledger agree which songs are charged': `update songs.song set charge = 'charged' where charge = 'declined'`,
  'a refunded song was charged, and its charge was reversed': `update songs.song set charge = 'refunded' where charge = 'declined'`,
  'songs and ledger agree which songs wait for credits': `delete from credits.waiting_song where closed_at is null`,
  'every request was answered by the ledger': `update songs.song set charge = 'deciding' where charge = 'declined'`,
  'payments and ledger agree what each payment added': `update payments.payment set credits_cents = credits_cents + 1`,
  'the song of every charge exists and is the same person’s': `update songs.song set uid = 'u2'`,
  'payments and ledger agree what was taken back of each payment': `update payments.payment set reversed_cents = 5`,
  'nobody owes more for a payment than was taken back of it': `update payments.payment set reversed_cents = 0`,
  'payments knows which of its payments are credited': `update payments.payment set credited = not credited`,
  'every take that songs names is an object of storage': `delete from storage.audio`,
  'songs and storage agree which objects are takes': `update storage.audio set take = 2`,
  'every draft is of a song that is there and not closed': `
    insert into storage.draft (id, song_id, uid, call_id, n, revision, state, request, due_at, created_at)
    values (gen_random_uuid(), 'gone', 'u9', gen_random_uuid(), 1, 1, 'waiting', '{}', 0, 0)`,
  'of a closed account no personal data is left': `
    insert into gateway.closed_account select distinct uid, uid, 'person', 0 from songs.song`,
  'of a closed account no notice, preference or push subscription is left': `
    insert into gateway.closed_account values ('u9', 'u9', 'person', 0);
    insert into notifier.preference (uid) values ('u9')`,
}

/** The same for what every service has of events; `credits` stands for all. */
const EVENT_DAMAGE: Record<string, string> = {
  ...Object.fromEntries(
    [...(SOURCES['credits'] ?? []), 'credits'].flatMap((source) => [
      [
        `the cursors of credits for ${source} have taken each event up to them once`,
        `insert into cursor (topic, partition, partitions, position, taken) values ('prelude.${source}', 0, 1, 0, 1)
         on conflict (topic, partition) do update set taken = cursor.taken + 1`,
      ],
      [
        `no cursor of credits is beyond the log of ${source}`,
        `insert into cursor (topic, partition, partitions, position) values ('prelude.${source}', 0, 1, 100000)
         on conflict (topic, partition) do update set position = excluded.position`,
      ],
    ]),
  ),
  'no key is parked': `insert into parked_key (topic, key) values ('t', 'k')`,
  'no event waits in dead letters': `insert into dead_letter (topic, key, position, value, error) values ('t', 'k', 1, '', '')`,
  'a key is parked if and only if it has an open dead letter': `insert into parked_key (topic, key) values ('t', 'k')`,
}

const SCHEMAS = ['gateway', ...MEMBERS]

let services: Services
let admin: pg.Client

/** A person who paid, spent, was refunded into a debt, waits for credits, and has a finished song. */
beforeAll(async () => {
  services = await startServices(700)
  const life = new Life(services, 700, NEW_LOGS)
  const { money } = life
  await money.topUp(life.uid(0), 2500)
  await money.happen(0, 'pay', 0)
  await life.settle(chooser(1))
  for (const _ of [1, 2, 3]) await life.submit(0)
  await life.settle(chooser(1))
  const [first = '', second = ''] = life.world.model.songs.keys()
  await life.world.atOnce([life.songAct('fulfil', first)])
  await life.world.atOnce([life.songAct('giveBack', second)])
  await money.happen(0, 'refund', 2500)
  await life.settle(chooser(1))
  await life.submit(0)
  await life.settle(chooser(1))
  await life.agreeOnEverything()
  admin = new pg.Client({ connectionString: services.adminUrl })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await services[Symbol.asyncDispose]()
})

test('healthy data breaks no invariant, and each says how much it looked at', async () => {
  const findings = await checkInvariants(services.adminUrl, Date.now())
  expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([])
  const counts = new Map(findings.map(({ name, count }) => [name, count]))
  expect(counts.get('songs: a revision starts at 1')).toBe(4)
  expect(counts.get('credits: every balance is the sum of its entries')).toBe(2)
  expect(counts.get('payments knows which of its payments are credited')).toBe(1)
})

test('a breach is seen of every rule', async () => {
  const rules = [...crossInvariants, ...eventInvariants('credits')]
  expect({ ...DAMAGE, ...EVENT_DAMAGE }).toEqual(
    Object.fromEntries(rules.map(({ name }) => [name, expect.any(String)])),
  )
  const outcomes = await Array.fromAsync(rules, async ({ name, sql }) => {
    // one batch is one transaction: the error that reports the breach undoes the damage
    const damaged = admin.query(
      `set local session_replication_role = replica; set local search_path to credits;
       ${DAMAGE[name] ?? EVENT_DAMAGE[name]};
       do $do$ begin if exists (${sql}) then raise exception 'seen: ${name}'; end if; end $do$`,
    )
    return damaged.then(
      () => `not seen: ${name}`,
      (error: Error) => error.message,
    )
  })
  expect(outcomes).toEqual(rules.map(({ name }) => `seen: ${name}`))
})

test('a key that waits for an update is a breach after an hour, not before', async () => {
  const breachesAt = async (age: string): Promise<string[]> => {
    await admin.query(`begin; set local search_path to credits;
      insert into dead_letter (topic, key, position, value, error, unknown_version, at)
        values ('t', 'k', 1, '', '', 2, now() - interval '${age}');
      insert into dead_letter (topic, key, position, value, error) values ('t', 'k', 2, '', '');
      insert into parked_key (topic, key) values ('t', 'k')`)
    const broken: string[] = []
    for (const { name, sql } of eventInvariants('credits'))
      if (((await admin.query(sql)).rowCount ?? 0) > 0) broken.push(name)
    await admin.query('rollback')
    return broken
  }
  expect(await breachesAt('59 minutes')).toEqual([])
  expect(await breachesAt('61 minutes')).toEqual(['no key is parked', 'no event waits in dead letters'])
})

// one that begins later has not taken what was removed before: the count of taken events has to know that
test('every service has read its topics from their beginning', () => {
  const first: typeof SOURCES = {
    songs: ['gateway', 'credits', 'storage'],
    credits: ['gateway', 'songs', 'payments'],
    payments: ['gateway', 'credits'],
    storage: ['songs'],
    notifier: ['gateway', 'songs', 'credits', 'payments'],
  }
  for (const [consumer, sources] of Object.entries(SOURCES))
    expect(first[consumer]).toEqual(expect.arrayContaining([...sources]))
})

test('of a text that a column of any table refuses, log lines and dead letters quote nothing', async () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'error', pretty: false }, { write: (line) => void lines.push(line) })
  const { rows: columns } = await admin.query<{ schema: string; table: string; column: string }>(
    `select table_schema as schema, table_name as table, column_name as column from information_schema.columns
     where table_schema = any($1) and is_generated = 'NEVER'`,
    [SCHEMAS],
  )
  for (const schema of SCHEMAS) {
    const db = postgresDatabase({ url: services.adminUrl, schema, logger })
    const refused = (error: Error): void => logger.error({ err: error, letter: reasonOf(error) }, 'refused')
    const store = ({ table, column }: { table: string; column: string }): Promise<void> =>
      db
        .transaction(async (tx) => {
          await tx.query(`insert into "${table}" ("${column}") values ($1)`, ['planted'])
          throw new Error('was not refused')
        })
        .catch(refused)
    await Promise.all(columns.filter((one) => one.schema === schema).map(store))
    await db.close()
  }
  expect(lines.length).toBeGreaterThan(300)
  expect(lines.filter((line) => line.includes('planted'))).toEqual([])
})
