import type { Stats } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
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

/** Of the notifier. */
async function metric({ endpoints }: ProductProcess, name: string): Promise<number> {
  const metrics = await (await fetch(`${endpoints.health['notifier']}/metrics`)).text()
  return Number(new RegExp(`^prelude_${name}\\S* (\\S+)$`, 'm').exec(metrics)?.[1])
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
    expect(await metric(old, 'backup_age_seconds')).toBeGreaterThan(0)
    expect(await metric(old, 'disk_free_bytes')).toBeGreaterThan(0)
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

test('a backup of a damaged product is finished, reported, and comes back with the same damage', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-damaged-'))
  const [backup, restored] = [join(folder, 'backup'), join(folder, 'restored')]
  const damage = (output: string): string[] => output.split('\n').filter((line) => line.startsWith('  '))
  {
    await using product = await startProductProcess()
    const operator = await unlockedOperator(product)
    const ada = await somebody(product)
    await giveCredits(operator, ada.uid, 30)
    const song = await submit(ada)
    await eventually(async () => expect(await chargeOf(ada, song)).toBe('charged'))
    expect((await fulfil(operator, song)).status).toBe(200)
    const blobs = join(product.dataDir, 'blobs', 'songs', song)
    const [lost = ''] = await readdir(blobs)
    await rm(join(blobs, lost))
    await asOwner(
      product,
      'update credits.account set balance_cents = balance_cents + 1 where balance_cents > 0',
    )
    const env = { ...process.env, DATA_DIR: product.dataDir }
    const found = damage(prelude(env, ['backup', `--to=${backup}`], 3))
    expect(found).toContain('  credits: every balance is the sum of its entries: 1')
    expect(found).toContain(`  songs/${song}/${lost}: missing`)
    expect(await metric(product, 'backup_findings')).toBe(found.length)
    const mark = JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8')) as object
    expect(mark).toMatchObject({
      isFinished: true,
      version: expect.stringMatching(/^\d/),
      findings: found.map((line) => line.trim()),
    })
    expect(damage(prelude({ ...env, DATA_DIR: restored }, ['restore', `--from=${backup}`], 3))).toEqual(found)
  }
  expect(prelude({ ...process.env, DATA_DIR: restored }, ['check-invariants'], 1)).toContain('every balance')
  await rm(folder, { recursive: true })
})
