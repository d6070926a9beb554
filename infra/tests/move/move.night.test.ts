import { globSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Song } from '@prelude/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { findServers, type Servers, startServers } from '../distributed/servers.ts'
import { startDistributed } from '../distributed/start.ts'
import { prelude } from '../support/run-command.ts'
import { whyMissing } from '../support/with-server.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { giveCredits, type Somebody, somebody, submit, unlockedOperator } from '../support/callers.ts'
import { balanceIs, startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { type ProductProcess, startProductProcess } from '../support/product-process.ts'

/** Everything of an embedded product that was killed in the middle of its work, moved to servers elsewhere. */

const SUBMITS = 60

const missing = await whyMissing('Kafka, Redis or S3 store', findServers)

describe.skipIf(missing !== null)('moving to servers elsewhere', () => {
  let old: ProductProcess
  let servers: Servers
  let folder = ''
  const move = (code: number): string =>
    prelude({ ...process.env, DATA_DIR: old.dataDir, ...servers.env }, ['move'], code)
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prelude-moved-'))
    old = await startProductProcess({ RATE_LIMITS: 'off' })
    servers = await startServers(folder)
  })
  afterAll(async () => {
    await old[Symbol.asyncDispose]()
    await servers[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  test('balances, songs and audio are the same, and what was under way is done once', async () => {
    const operator = await unlockedOperator(old)
    const ada = await somebody(old, { email: 'ada@example.test', name: 'Ada Obi' })
    const ben = await somebody(old, { email: 'ben@example.test', name: 'Ben' })
    await press(await startCheckout(ada, 100), 'pay')
    await balanceIs(ada, 100)
    const ready = await submit(ada)
    await eventually(async () => expect((await songOf(ada, ready)).charge).toBe('charged'))
    expect((await fulfil(operator, ready)).status).toBe(200)
    await giveCredits(operator, ben.uid, 200)
    const open = await startCheckout(ben, 30)

    expect(move(1)).toContain('is already running')
    const accepted = await Promise.all(Array.from({ length: SUBMITS }, () => submit(ben)))
    await old.kill()

    // what is wrong with the data moves too, and is listed
    const [damaged = ''] = globSync(join(old.dataDir, 'blobs', 'songs', ready, 'version2_*'))
    await writeFile(damaged, Buffer.alloc((await stat(damaged)).size))
    expect(move(3)).toMatch(/rows and 2 objects copied.*version2_\S+: /s)
    expect(move(1)).toContain('in use already')
    // on the old folder for what stand-ins know of checkouts and accounts
    await using running = await startDistributed({ dir: old.dataDir, servers })
    const { product } = running
    const newAda = await somebody(product, { email: 'ada@example.test', name: 'Ada Obi' })
    const newBen = await somebody(product, { email: 'ben@example.test', name: 'Ben' })
    expect([newAda.uid, newBen.uid]).toEqual([ada.uid, ben.uid])
    await balanceIs(newAda, 90)
    const audio = await newAda.call('GET', `/api/songs/${ready}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)

    await eventually(async () => {
      const charges = await Promise.all(accepted.map(async (id) => (await songOf(newBen, id)).charge))
      expect(charges.filter((charge) => charge === 'charged')).toHaveLength(20)
      expect(charges.filter((charge) => charge === 'declined')).toHaveLength(SUBMITS - 20)
    })
    await press(open, 'pay')
    await eventually(async () => {
      const charges = await Promise.all(accepted.map(async (id) => (await songOf(newBen, id)).charge))
      expect(charges.filter((charge) => charge === 'charged')).toHaveLength(23)
    })
    expect(product.checkInvariants()).toContain(' 0 broken')
  })
})

const songOf = async (person: Somebody, id: string): Promise<Song> =>
  (await person.call<Song>('GET', `/api/songs/${id}`)).body
