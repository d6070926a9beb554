import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { markBackup, removeOlderBackups } from '../../move/old-backups.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 23, 3, 15)

test('backups that are too old are deleted; data, copies, unfinished and younger ones stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-old-backups-'))
  const taken = async (name: string, at: number): Promise<void> => {
    await mkdir(join(folder, name, 'postgres', 'cluster'), { recursive: true })
    await markBackup(join(folder, name), at)
  }
  try {
    await taken('new', NOW)
    await taken('old', NOW - 30 * DAY_MS - 1)
    await taken('young', NOW - 30 * DAY_MS)
    await cp(join(folder, 'old'), join(folder, 'looked-at'), { recursive: true })
    await mkdir(join(folder, 'data', 'postgres', 'cluster'), { recursive: true })
    expect(await removeOlderBackups(join(folder, 'new'), 30)).toEqual(['old'])
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'looked-at', 'new', 'young'])
    expect(await removeOlderBackups(join(folder, 'data'), 0)).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
})
