import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Song } from '@prelude/contracts'
import { expect, test, vi } from 'vitest'
import { runCommand } from '../stack/run-command.ts'
import { fulfil, MP3 } from '../system/api/audio-files.ts'
import { giveCredits, somebody, type Somebody, unlockedOperator } from '../system/api/callers.ts'
import { balanceIs } from '../system/api/checkout.ts'
import { type ProductProcess, startProductProcess } from '../system/product-process.ts'

const PATIENCE = { timeout: 60_000, interval: 200 }

async function submit(person: Somebody): Promise<string> {
  const json = { lyrics: randomUUID(), style: 'folk' }
  const { status, body } = await person.call<Song>('POST', '/api/songs', { json })
  expect(status).toBe(201)
  return body.id
}

const chargeOf = async (person: Somebody, id: string): Promise<string> =>
  (await person.call<Song>('GET', `/api/songs/${id}`)).body.charge

async function mailsOf(product: ProductProcess, address: string): Promise<number> {
  const url = `${product.endpoints.mailbox ?? ''}/api/messages?to=${encodeURIComponent(address)}`
  return ((await (await fetch(url)).json()) as unknown[]).length
}

test(
  'a backup of a running product comes back whole elsewhere, and writes to nobody about what is past',
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prelude-backup-'))
    const backup = join(folder, 'backup')
    const restored = join(folder, 'restored')
    const ada = { email: 'ada@example.test', name: 'Ada Obi' }
    let ready = ''
    let uid = ''
    {
      await using old = await startProductProcess()
      const operator = await unlockedOperator(old)
      const singer = await somebody(old, ada)
      uid = singer.uid
      await giveCredits(operator, uid, 30)
      ready = await submit(singer)
      await vi.waitFor(async () => expect(await chargeOf(singer, ready)).toBe('charged'), PATIENCE)
      expect((await fulfil(operator, ready)).status).toBe(200)
      await vi.waitFor(async () => expect(await mailsOf(old, ada.email)).toBe(1), PATIENCE)
      const env = { ...process.env, DATA_DIR: old.dataDir, TO: backup }
      expect(runCommand(env, ['infra/move/backup.ts'])).toMatch(/rows and 2 objects are in/)
      expect((await stat(backup)).mode & 0o777).toBe(0o700)
      expect(runCommand(env, ['infra/move/backup.ts'], 1)).toContain('holds data already')
      await submit(singer) // after the backup: lost with the old product
    }
    const env = { ...process.env, FROM: backup, DATA_DIR: restored }
    expect(runCommand(env, ['infra/move/restore.ts'])).toContain('restored and checked')
    expect(runCommand(env, ['infra/move/restore.ts'], 1)).toContain('holds data already')

    await using product = await startProductProcess({ DATA_DIR: restored })
    const singer = await somebody(product, ada)
    expect(singer.uid).toBe(uid)
    await balanceIs(singer, 20)
    const audio = await singer.call('GET', `/api/songs/${ready}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
    const next = await submit(singer)
    await vi.waitFor(async () => expect(await chargeOf(singer, next)).toBe('charged'), PATIENCE)
    await balanceIs(singer, 10)
    expect(await mailsOf(product, ada.email)).toBe(1)
    expect(product.checkInvariants()).toContain(' 0 broken')
    await product.stop()
    await rm(folder, { recursive: true, force: true })
  },
)
