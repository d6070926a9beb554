import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

test('the invariants report dead letters, and make replay handles them again', async () => {
  await using product = await startProductProcess({ STARTING_CREDITS: '25' })
  const singer = await signIn(product, { email: 'singer@example.test', name: 'Singer' })
  const run = (...args: string[]) =>
    spawnSync(join(ROOT, 'node_modules/.bin/node'), ['infra/cli/main.ts', ...args], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: product.dataDir },
      encoding: 'utf8',
    })
  const charges = async () =>
    (await singer.get<{ items: { charge: string }[] }>('/api/songs')).body.items.map(({ charge }) => charge)
  const submit = () => singer.post('/api/songs', { lyrics: 'la', style: 'folk' })

  await submit()
  await eventually(async () => expect(await charges()).toEqual(['charged']))
  const read = (name: string) => readFileSync(join(product.dataDir, 'postgres', name), 'utf8').trim()
  const admin = new pg.Client(`postgres://postgres:${read('password')}@127.0.0.1:${read('port')}/prelude`)
  await admin.connect()
  await admin.query(`insert into credits.parked_key (topic, key) values ('prelude.songs', $1)`, [singer.uid])
  await submit()
  await eventually(async () => {
    const { rows } = await admin.query('select 1 from credits.dead_letter where resolved_at is null')
    expect(rows.length).toBeGreaterThan(0)
  })
  expect(await charges()).toEqual(['deciding', 'charged'])
  expect(() => product.checkInvariants()).toThrow(/BREACH credits: no key is parked/)

  expect(run('replay').stdout).toMatch(/credits: \d+ event\(s\) will be handled again/)
  await eventually(async () => expect(await charges()).toEqual(['charged', 'charged']))
  await eventually(async () => {
    const { rows } = await admin.query('select 1 from credits.dead_letter where resolved_at is null')
    expect(rows).toEqual([])
  })
  expect(run('replay').stdout).toContain('There are no dead letters.')

  await admin.end()

  expect(run('republish').status).toBe(1)
  expect(run('republish', `--key=${singer.uid}`).stdout).toContain('No event has to be forwarded again.')
  await eventually(() => expect(product.checkInvariants()).toContain(' 0 broken'))
  expect((await singer.get('/api/credits')).body).toMatchObject({ balance: 5 })
})

test('prelude clear-unlock-limit lets the operator unlock again at once; where nothing runs it says so', async () => {
  await using product = await startProductProcess()
  const clear = (dataDir: string) =>
    spawnSync(join(ROOT, 'node_modules/.bin/node'), ['infra/cli/main.ts', 'clear-unlock-limit'], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: dataDir },
      encoding: 'utf8',
    })
  const { email, password } = product.endpoints.operator
  const operator = await signIn(product, { email })
  const unlock = async (word: string) =>
    (await operator.post('/api/operator/unlock', { password: word })).status
  for (let n = 0; n < 5; n++) expect(await unlock('not the password')).toBe(403)
  expect(await unlock(password)).toBe(429)
  expect(clear(product.dataDir)).toMatchObject({
    status: 0,
    stdout: 'Wrong admin passwords are forgotten: the right one unlocks again.\n',
  })
  expect(await unlock(password)).toBe(204)
  const { status, stderr } = clear(join(product.dataDir, 'elsewhere'))
  expect([status, stderr]).toEqual([1, expect.stringContaining('Nothing runs in')])
})
