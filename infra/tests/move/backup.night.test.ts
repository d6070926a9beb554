import type { Stats } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Song } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { markBackup } from '../../move/old-backups.ts'
import { prelude } from '../support/run-command.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { giveCredits, type Somebody, somebody, submit, unlockedOperator } from '../support/callers.ts'
import { mailsTo } from '../support/mailbox.ts'
import { balanceIs } from '../support/checkout.ts'
import { asOwner } from '../support/poison.ts'
import { type ProductProcess, startProductProcess } from '../support/product-process.ts'

const DAY_MS = 86_400_000

const chargeOf = async (person: Somebody, id: string): Promise<string> =>
  (await person.call<Song>('GET', `/api/songs/${id}`)).body.charge

/** Audio below a data folder. */
async function filesIn(dataDir: string): Promise<Stats[]> {
  const entries = await readdir(join(dataDir, 'blobs', 'songs'), { recursive: true, withFileTypes: true })
  return Promise.all(
    entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => stat(join(parentPath, name))),
  )
}

async function ageIsKnown({ endpoints }: ProductProcess): Promise<void> {
  const metrics = await (await fetch(`${endpoints.health['notifier']}/metrics`)).text()
  expect(Number(/^prelude_backup_age_seconds\S* (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0)
}

test('a backup of a running product comes back whole elsewhere, and writes to nobody about what is past', async () => {
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
    await eventually(async () => expect(await chargeOf(singer, ready)).toBe('charged'))
    expect((await fulfil(operator, ready)).status).toBe(200)
    await eventually(async () => expect(await mailsTo(old, ada.email)).toHaveLength(1))
    const env = { ...process.env, DATA_DIR: old.dataDir }
    expect(prelude(env, ['backup', `--to=${backup}`])).toMatch(/rows and 2 objects are in/)
    expect((await stat(backup)).mode & 0o777).toBe(0o700)
    expect(prelude(env, ['backup', `--to=${backup}`], 1)).toContain('holds data already')
    await ageIsKnown(old)
    expect(prelude(env, ['backup', `--to=${join(folder, 'never')}`, '--keep=all'], 1)).toContain('KEEP is')
    await mkdir(join(folder, 'older'))
    await markBackup(join(folder, 'older'), { takenAt: Date.now() - 31 * DAY_MS, isFinished: true })
    expect(prelude(env, ['backup', `--to=${join(folder, 'next')}`, '--keep=30'])).toMatch(/: older\.$/m)
    expect((await filesIn(backup)).map(({ nlink }) => nlink)).toEqual([2, 2]) // shared, not copied again
    await rm(join(folder, 'next'), { recursive: true })
    await submit(singer) // after the backup: lost with the old product
  }
  const env = { ...process.env, DATA_DIR: restored }
  const restore = ['restore', `--from=${backup}`]
  expect(prelude(env, restore)).toContain('restored and checked')
  // an instance of the old product would be missed here
  await asOwner(
    { dataDir: restored },
    `do $$ begin if exists (select from songs.instance) then raise 'instances were copied'; end if; end $$`,
  )
  expect(prelude(env, restore, 1)).toContain('holds data already')

  await using product = await startProductProcess({ DATA_DIR: restored })
  const singer = await somebody(product, ada)
  expect(singer.uid).toBe(uid)
  await balanceIs(singer, 20)
  const audio = await singer.call('GET', `/api/songs/${ready}/versions/1`)
  expect(audio.bytes.equals(MP3)).toBe(true)
  const next = await submit(singer)
  await eventually(async () => expect(await chargeOf(singer, next)).toBe('charged'))
  await balanceIs(singer, 10)
  expect(await mailsTo(product, ada.email)).toHaveLength(1)
  expect(product.checkInvariants()).toContain(' 0 broken')
  await product.stop()
  await rm(folder, { recursive: true, force: true })
})
