import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { findServers, type Servers, startServers } from '../distributed/servers.ts'
import { startDistributed } from '../distributed/start.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { chargedSong, giveCredits, somebody, unlockedOperator } from '../support/callers.ts'
import { press } from '../support/checkout-page.ts'
import { balanceIs, startCheckout } from '../support/checkout.ts'
import { mailsTo } from '../support/mailbox.ts'
import { prelude } from '../support/run-command.ts'
import { whyMissing } from '../support/with-server.ts'

/** Servers that were lost with everything on them, and what they held brought back onto others from an older backup. */

const ADA = { email: 'ada@example.test', name: 'Ada Obi' }

const missing = await whyMissing('Kafka, Redis or S3 store', findServers)

describe.skipIf(missing !== null)('a backup of servers', () => {
  let folder = ''
  let lost: Awaited<ReturnType<typeof beforeTheLoss>>
  let servers: Servers
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prelude-lost-servers-'))
    lost = await beforeTheLoss(folder)
    servers = await startServers(join(folder, 'new'))
  })
  afterAll(async () => {
    await servers[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  test('comes back on empty servers: whole, silent about what is past, and deaf to nothing that is new', async () => {
    const restore = (code: number, env: NodeJS.ProcessEnv = {}): string =>
      prelude(
        { ...process.env, ...servers.env, ...env },
        ['restore', `--from=${join(folder, 'backup')}`],
        code,
      )
    expect(restore(0)).toContain('restored and checked')
    expect(restore(1)).toContain('in use already')
    await using running = await startDistributed({ dir: folder, servers })
    const { product } = running
    const again = await somebody(product, ADA)
    expect(again.uid).toBe(lost.uid)
    await balanceIs(again, 40)
    const audio = await again.call('GET', `/api/songs/${lost.ready}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
    for (const _ of [1, 2, 3, 4]) await chargedSong(again)
    await balanceIs(again, 0)
    await press(lost.open, 'pay')
    await balanceIs(again, 30)
    const boss = await unlockedOperator(product)
    expect((await fulfil(boss, (await chargedSong(again)).id)).status).toBe(200)
    // the first mail is the old one that its owner still has
    await eventually(async () => expect(await mailsTo(product, ADA.email)).toHaveLength(3))
    expect(product.checkInvariants('--deep')).toContain(' 0 broken')

    expect(restore(1)).toMatch(/topics there hold \d+ events of another time/)
    expect(restore(1, { BUS_URL: '' })).toContain('BUS_URL is missing')
  })
})

/** Ada's account, and what of it the backup holds; servers and all that was done after the backup are gone. */
async function beforeTheLoss(folder: string) {
  await using servers = await startServers(join(folder, 'old'))
  await using running = await startDistributed({ dir: folder, servers })
  const operator = await unlockedOperator(running.product)
  const ada = await somebody(running.product, ADA)
  const open = await startCheckout(ada, 30)
  await giveCredits(operator, ada.uid, 50)
  const { id: ready } = await chargedSong(ada)
  expect((await fulfil(operator, ready)).status).toBe(200)
  await eventually(async () => expect(await mailsTo(running.product, ADA.email)).toHaveLength(1))
  const output = prelude({ ...process.env, ...servers.env }, ['backup', `--to=${join(folder, 'backup')}`])
  expect(output).toMatch(/rows and 2 objects are in/)
  // more events of the same person than the new servers will have at first
  const late = await somebody(running.product)
  for (const _ of [1, 2, 3]) await chargedSong(ada)
  await giveCredits(operator, late.uid, 10)
  return { uid: ada.uid, ready, open }
}
