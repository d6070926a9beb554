import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { lockInstance } from '../embedded/instance-lock.ts'
import { StartError } from '../embedded/start-error.ts'

/** In the folder of each backup, with the folder's own name, so that a copy of the folder is no backup. */
interface Mark {
  readonly name: string
  readonly takenAt: number
  /** The folder holds everything, and it equals its source. Earlier versions wrote the mark only then, without this. */
  readonly isFinished?: boolean
  /** What is wrong with the data, in the source too: broken invariants and objects. Empty: a restore brings back a sound product. */
  readonly findings?: readonly string[]
  /** Of Prelude, and its image where it runs in containers: they can open the backup when a later version cannot. */
  readonly version?: string
  readonly image?: string | null
}

const MARK = 'backup.json'
const DAY_MS = 86_400_000

export async function markBackup(folder: string, state: Omit<Mark, 'name'>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const mark: Mark = { name: basename(folder), ...state }
  await writeFile(join(folder, MARK), JSON.stringify(mark), { mode: 0o600 })
}

/** Deletes backups beside this one that were taken more than `days` before it, but never the last one without findings. Resolves to their names. */
export async function removeOlderBackups(folder: string, days: number): Promise<string[]> {
  const own = await readMark(folder)
  if (own === null) return []
  const sound = (await marksIn(dirname(folder))).filter(
    (mark) => isFinished(mark) && (mark.findings ?? []).length === 0,
  )
  const lastSound = Math.max(...sound.map(({ takenAt }) => takenAt))
  const isOld = ({ takenAt }: Mark): boolean => takenAt < own.takenAt - days * DAY_MS && takenAt !== lastSound
  return remove(dirname(folder), (mark) => isFinished(mark) && isOld(mark))
}

/** Deletes what backups in this folder that failed or were killed have left. Resolves to their names. */
export const removeUnfinished = (parent: string): Promise<string[]> =>
  remove(parent, (mark) => !isFinished(mark) && !isBeingMade(join(parent, mark.name)))

const isFinished = (mark: Mark): boolean => mark.isFinished !== false

function isBeingMade(folder: string): boolean {
  try {
    lockInstance(folder, { name: 'prelude', what: 'A backup' }).release()
    return false
  } catch (error) {
    if (error instanceof StartError) return true
    throw error
  }
}

async function remove(parent: string, isWanted: (mark: Mark) => boolean): Promise<string[]> {
  const names = (await marksIn(parent)).filter(isWanted).map(({ name }) => name)
  for (const name of names) await rm(join(parent, name), { recursive: true })
  return names
}

async function marksIn(parent: string): Promise<Mark[]> {
  const names = await readdir(parent).catch((): string[] => [])
  const marks = names.toSorted().map(async (name) => ({ name, mark: await readMark(join(parent, name)) }))
  return (await Promise.all(marks)).flatMap(({ name, mark }) => (mark?.name === name ? [mark] : []))
}

export async function readMark(folder: string): Promise<Mark | null> {
  const text = await readFile(join(folder, MARK), 'utf8').catch(() => null)
  try {
    return text === null ? null : (JSON.parse(text) as Mark)
  } catch {
    return null // half written: it is no backup of ours
  }
}
