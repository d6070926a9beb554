import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockInstance } from '../../embedded/instance-lock.ts'
import { markBackup, removeOlderBackups, removeUnfinished } from '../../move/old-backups.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 23, 3, 15)

test('backups that are too old are deleted; data, copies, unfinished and younger ones stay, and the last one without findings', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-old-backups-'))
  const taken = async (
    name: string,
    takenAt: number,
    state: { isFinished?: boolean; findings?: string[] } = {},
  ): Promise<void> => {
    await mkdir(join(folder, name, 'postgres', 'cluster'), { recursive: true })
    await markBackup(join(folder, name), { takenAt, isFinished: true, ...state })
  }
  try {
    await taken('new', NOW)
    await taken('old', NOW - 30 * DAY_MS - 1)
    await taken('young', NOW - 30 * DAY_MS)
    await cp(join(folder, 'old'), join(folder, 'looked-at'), { recursive: true })
    await mkdir(join(folder, 'data', 'postgres', 'cluster'), { recursive: true })
    await taken('killed', 0, { isFinished: false })
    expect(await removeOlderBackups(join(folder, 'new'), 30)).toEqual(['old'])
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'killed', 'looked-at', 'new', 'young'])
    expect(await removeOlderBackups(join(folder, 'data'), 0)).toEqual([])
    for (const name of ['new', 'young']) await taken(name, NOW, { findings: ['a.mp3: missing'] })
    await taken('last-sound', NOW - 40 * DAY_MS)
    await taken('older', NOW - 41 * DAY_MS)
    await taken('unsound', NOW - 39 * DAY_MS, { findings: ['a.mp3: missing'] })
    expect(await removeOlderBackups(join(folder, 'new'), 30)).toEqual(['older', 'unsound'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('what a killed backup has left is deleted; one that is being made, finished ones and data stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-unfinished-'))
  const begun = (name: string, isFinished: boolean) =>
    markBackup(join(folder, name), { takenAt: NOW, isFinished })
  try {
    await begun('killed', false)
    await begun('finished', true)
    await begun('being-made', false)
    await mkdir(join(folder, 'data'))
    const lock = lockInstance(join(folder, 'being-made'), { name: 'prelude', what: 'A backup' })
    expect(await removeUnfinished(folder)).toEqual(['killed'])
    expect((await readdir(folder)).toSorted()).toEqual(['being-made', 'data', 'finished'])
    lock.release()
  } finally {
    await rm(folder, { recursive: true })
  }
})
