import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { SERVICE_NAMES, STANDARD_TERMS } from '@prelude/contracts'
import { createNotifier, type Mailer } from '@prelude/notifier'
import { type ServiceCall, serviceDatabase } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { testClock, testDatabase, testLogger } from '@prelude/platform/testing'
import pg from 'pg'
import { expect, test } from 'vitest'
import { crossCheck } from '../../invariants/cross-check.ts'
import { prepare } from '../../prepare/prepare.ts'
import { roleUrl } from '@prelude/platform/migrate'

const ROOT = resolve(import.meta.dirname, '../../..')
const RULE = 'payments and ledger agree what each payment added'

/** A database as `prepare` leaves it, and the check across services as a cluster runs it. */
async function prepared() {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const urlOf = (schema: string): string => roleUrl(adminUrl, schema, 'test-role-password')
  const databaseUrls = Object.fromEntries(SERVICE_NAMES.map((name) => [name, urlOf(name)]))
  const auditUrl = urlOf('audit')
  await prepare({ adminUrl, busUrl: urlOf('bus'), kvUrl: urlOf('kv'), auditUrl, databaseUrls }, testLogger())
  const admin = new pg.Client({ connectionString: adminUrl })
  admin.on('error', () => {})
  await admin.connect()
  const clock = testClock()
  const db = serviceDatabase({
    url: urlOf('notifier'),
    service: 'notifier',
    clock,
    logger: testLogger(),
  })
  const { measures } = createNotifier({
    db,
    clock,
    instance: 'one',
    calls: {} as ServiceCall,
    mailer: {} as Mailer,
    logger: testLogger(),
    config: {
      brandName: '',
      publicUrl: 'http://localhost',
      supportEmail: '',
      operatorEmail: '',
      ...STANDARD_TERMS,
    },
  })
  const gauge = async (name: string) => {
    await measures?.read?.()
    const all = await Promise.all((measures?.metrics ?? []).map((one) => one.get()))
    return all.find((one) => one.name === name)?.values ?? []
  }
  return {
    admin,
    clock,
    auditUrl,
    check: () =>
      promisify(execFile)(process.execPath, ['infra/invariants/hourly.ts', '--once'], {
        cwd: ROOT,
        env: { PATH: process.env['PATH'], AUDIT_DATABASE_URL: auditUrl },
      }),
    /** One run of the check as a process that has just started does it. */
    start: () => crossCheck({ url: auditUrl, clock, logger: testLogger() }).run(new AbortController().signal),
    /** The notifier's gauge, by invariant. */
    shown: async (): Promise<Record<string, number>> => {
      const values = await gauge('prelude_cross_invariant_breaches')
      return Object.fromEntries(values.map(({ labels, value }) => [String(labels['invariant']), value]))
    },
    ageSeconds: async () => (await gauge('prelude_cross_check_age_seconds'))[0]?.value,
    [Symbol.asyncDispose]: async () => {
      await db.close()
      await admin.end()
      await drop()
    },
  }
}

test('credits that no payment explains are shown by the notifier, until they are gone', async () => {
  await using system = await prepared()
  await system.check()
  const well = await system.shown()
  expect(Object.keys(well).length).toBeGreaterThan(20)
  expect(Object.values(well).every((breaches) => breaches === 0)).toBe(true)

  // as after a forged PaymentSucceeded
  await system.admin.query(
    `with journal as (insert into credits.journal (kind, key, uid, reference) values ('payment', 'p', 'eve', 'p') returning id)
     insert into credits.entry (journal_id, account, amount_cents, balance_after_cents, reason)
     select id, account, amount, after, 'top_up' from journal,
       (values ('person:eve', 777700, 777700), ('card_clearing', -777700, null)) as line (account, amount, after)`,
  )
  await system.check()
  expect(await system.shown()).toMatchObject({ [RULE]: 1 })

  await system.admin.query('delete from credits.entry; delete from credits.journal')
  await system.check()
  expect(await system.shown()).toMatchObject({ [RULE]: 0 })
})

test('before the first check its age is the uptime of the notifier, so a check that never runs raises an alarm', async () => {
  await using system = await prepared()
  const uptime = process.uptime()
  expect(await system.ageSeconds()).toBeGreaterThanOrEqual(uptime)
})

test('the first check is due at once, a process that starts later waits for its time', async () => {
  await using system = await prepared()
  const checkedAt = async () =>
    (
      await system.admin.query<{ at: string | null }>(
        'select max(checked_at) as at from notifier.cross_check',
      )
    ).rows[0]?.at
  await system.start()
  const first = await checkedAt()
  expect(first).not.toBeNull()
  system.clock.pass(600_000)
  expect(await system.ageSeconds()).toBeGreaterThanOrEqual(600)
  await system.start()
  expect(await checkedAt()).toBe(first)
})

test('its connections have its own name, by which a restore refuses to run beside it', async () => {
  await using system = await prepared()
  await system.admin.query('begin; lock table notifier.cross_check')
  const checking = system.start()
  await eventually(async () => {
    await system.admin.query('select pg_stat_clear_snapshot()') // which a transaction keeps
    const { rows } = await system.admin.query<{ name: string }>(
      `select application_name as name from pg_stat_activity
       where datname = current_database() and usename = $1`,
      [new URL(system.auditUrl).username],
    )
    expect(rows).toEqual([{ name: 'prelude-auditor' }])
  })
  await system.admin.query('commit')
  await checking
})

test('the role of the check writes nothing but its result', async () => {
  await using system = await prepared()
  const auditor = new pg.Client({ connectionString: system.auditUrl })
  await auditor.connect()
  for (const sql of [
    `update credits.account set balance_cents = 1`,
    `insert into payments.event (key) values ('eve')`,
    `delete from notifier.message`,
    `create table notifier.mine (id int)`,
  ])
    await expect(auditor.query(sql)).rejects.toThrow('permission denied')
  await auditor.end()
})
