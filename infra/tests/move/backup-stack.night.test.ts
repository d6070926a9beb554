import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Song } from '@prelude/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { freePort } from '../../native/server-process.ts'
import { whyMissing } from '../support/with-server.ts'
import { runningServers } from '../../embedded/running-servers.ts'
import { findServers } from '../../stack/servers.ts'
import { prelude, runCommand } from '../support/run-command.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { giveCredits, type Somebody, somebody, submit, unlockedOperator } from '../support/callers.ts'
import { mailsTo } from '../support/mailbox.ts'
import { balanceIs, startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { runningProduct } from '../support/product-process.ts'

/** A stack on real servers that was lost with everything in it, brought back from an older backup. */

const ADA = { email: 'ada@example.test', name: 'Ada Obi' }

const missing = await whyMissing('stack of servers', findServers)

describe.skipIf(missing !== null)('a backup of a stack', () => {
  let folder = ''
  const envs: Record<'old' | 'new', NodeJS.ProcessEnv> = { old: {}, new: {} }
  const run = (
    which: 'old' | 'new',
    args: readonly string[],
    code = 0,
    more: NodeJS.ProcessEnv = {},
  ): string => prelude({ ...envs[which], ...more }, args, code)
  const stack = (which: 'old' | 'new', command: string): string =>
    runCommand(envs[which], ['infra/stack/main.ts', command])
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prelude-stack-backup-'))
    for (const which of ['old', 'new'] as const) {
      const dir = join(folder, which)
      const port = String(await freePort())
      envs[which] = {
        ...process.env,
        STACK: 'native',
        STACK_DIR: dir,
        STACK_INSTANCES: '1',
        DATA_DIR: dir,
        PORT: port,
        RATE_LIMITS: 'off',
      }
    }
  })
  afterAll(async () => {
    for (const which of ['old', 'new'] as const) stack(which, 'down')
    await rm(folder, { recursive: true, force: true })
  })

  test('comes back on empty servers: whole, silent about what is past, and deaf to nothing that is new', async () => {
    const backup = join(folder, 'backup')
    stack('old', 'up')
    const old = await runningProduct(join(folder, 'old'))
    const operator = await unlockedOperator(old)
    const ada = await somebody(old, ADA)
    const open = await startCheckout(ada, 30)
    await giveCredits(operator, ada.uid, 50)
    const ready = await submit(ada)
    await chargeIs(ada, ready, 'charged')
    expect((await fulfil(operator, ready)).status).toBe(200)
    await eventually(async () => expect(await mailsTo(old, ADA.email)).toHaveLength(1))
    expect(run('old', ['backup', `--to=${backup}`])).toMatch(/rows and 2 objects are in/)
    // lost with the old servers: more events of the same person than the new ones will have at first
    const late = await somebody(old)
    for (const _ of [1, 2, 3]) await chargeIs(ada, await submit(ada), 'charged')
    await giveCredits(operator, late.uid, 10)
    stack('old', 'down')
    expect(run('old', ['backup', `--to=${join(folder, 'none')}`], 1)).toContain('make stack')

    const restore = ['restore', `--from=${backup}`]
    expect(run('new', [...restore, '--into=stack'])).toContain('restored and checked')
    expect(run('new', [...restore, '--into=stack'], 1)).toContain('holds data already')
    stack('new', 'up')
    const product = await runningProduct(join(folder, 'new'))
    const again = await somebody(product, ADA)
    expect(again.uid).toBe(ada.uid)
    await balanceIs(again, 40)
    const audio = await again.call('GET', `/api/songs/${ready}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
    for (const _ of [1, 2, 3, 4]) await chargeIs(again, await submit(again), 'charged')
    await balanceIs(again, 0)
    await press(open, 'pay')
    await balanceIs(again, 30)
    const boss = await unlockedOperator(product)
    const next = await submit(again)
    await chargeIs(again, next, 'charged')
    expect((await fulfil(boss, next)).status).toBe(200)
    // the first mail is the old one that its owner still has
    await eventually(async () => expect(await mailsTo(product, ADA.email)).toHaveLength(3))
    expect(product.checkInvariants('--deep')).toContain(' 0 broken')

    const servers = runningServers(join(folder, 'new'))
    const elsewhere = {
      DATABASE_ADMIN_URL: await adminUrl(join(folder, 'new')),
      BUS_URL: servers?.busUrl,
      BLOBS_URL: servers?.blobsUrl,
    }
    expect(run('new', restore, 1, elsewhere)).toMatch(/topics there hold \d+ events of another time/)
    expect(run('new', restore, 1, { ...elsewhere, BUS_URL: '' })).toContain('BUS_URL is missing')
  })
})

const chargeIs = (person: Somebody, id: string, charge: string): Promise<void> =>
  eventually(async () => {
    const { body } = await person.call<Song>('GET', `/api/songs/${id}`)
    expect(body.charge).toBe(charge)
  })

async function adminUrl(dir: string): Promise<string> {
  const read = async (name: string): Promise<string> =>
    (await readFile(join(dir, 'postgres', name), 'utf8')).trim()
  return `postgres://postgres:${await read('password')}@127.0.0.1:${await read('port')}/prelude`
}
