import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Written into a folder once all of the backup is in it: its own name, so that a copy of the folder is no backup. */
interface Mark {
  readonly name: string
  readonly takenAt: number
}

const MARK = 'backup.json'
const DAY_MS = 86_400_000

export async function markBackup(folder: string, takenAt: number): Promise<void> {
  const mark: Mark = { name: basename(folder), takenAt }
  await writeFile(join(folder, MARK), JSON.stringify(mark), { mode: 0o600 })
}

/** Deletes backups beside this one that were taken more than `days` before it. Resolves to their names. */
export async function removeOlderBackups(folder: string, days: number): Promise<string[]> {
  const parent = dirname(folder)
  const own = await readMark(folder)
  if (own === null) return []
  const removed: string[] = []
  for (const name of (await readdir(parent)).toSorted()) {
    const mark = await readMark(join(parent, name))
    if (mark?.name !== name || mark.takenAt >= own.takenAt - days * DAY_MS) continue
    await rm(join(parent, name), { recursive: true })
    removed.push(name)
  }
  return removed
}

async function readMark(folder: string): Promise<Mark | null> {
  const text = await readFile(join(folder, MARK), 'utf8').catch(() => null)
  try {
    return text === null ? null : (JSON.parse(text) as Mark)
  } catch {
    return null // half written: it is no backup of ours
  }
}
