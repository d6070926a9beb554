import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Change, Collection, Collections } from './objects.ts'

export interface Store {
  get<K extends Collection>(collection: K, id: string): Collections[K] | undefined
  /** Oldest first. */
  list<K extends Collection>(collection: K): Collections[K][]
  /**
   * Visible to readers at once; resolves when all of it is on disk. `derive` adds changes that follow from the changed
   * objects to the same commit.
   */
  commit(changes: readonly Change[], derive?: () => readonly Change[]): Promise<void>
  close(): Promise<void>
}

type Maps = { [K in Collection]: Map<string, Collections[K]> }

const emptyMaps = (): Maps => ({
  checkout: new Map(),
  intent: new Map(),
  charge: new Map(),
  refund: new Map(),
  dispute: new Map(),
  event: new Map(),
  answer: new Map(),
  delivery: new Map(),
  setting: new Map(),
})

const DAY_MS = 24 * 60 * 60_000
const ANSWERS_KEPT_MS = DAY_MS
const EVENTS_KEPT_MS = 30 * DAY_MS

/**
 * A store in memory with an append-only file: one line of JSON a commit. The file is read and compacted at start; a line
 * torn by a crash is a commit that was not acknowledged. `now`: ms since the epoch.
 */
export async function openStore(file: string, now: number): Promise<Store> {
  await mkdir(dirname(file), { recursive: true })
  const maps = emptyMaps()
  for (const line of await readLines(file)) apply(maps, line)
  deleteOld(maps, now)
  await writeCompact(file, maps)
  const handle = await open(file, 'a', 0o600)
  let waiting: string[] = []
  let writing: Promise<void> = Promise.resolve()

  // group commit: commits during a write share the next one
  const write = async (): Promise<void> => {
    const lines = waiting.join('')
    waiting = []
    if (lines === '') return
    await handle.appendFile(lines)
    await handle.datasync()
  }

  return {
    get: (collection, id) => maps[collection].get(id),
    list: <K extends Collection>(collection: K) => [...maps[collection].values()] as Collections[K][],
    commit: async (changes, derive) => {
      apply(maps, changes)
      const derived = derive?.() ?? []
      apply(maps, derived)
      waiting.push(`${JSON.stringify([...changes, ...derived])}\n`)
      writing = writing.then(write)
      await writing
    },
    close: async () => {
      await writing
      await handle.close()
    },
  }
}

/** Removes objects after the time for which Stripe keeps them. */
function deleteOld({ answer, event }: Maps, now: number): void {
  for (const [key, { at }] of answer) if (at < now - ANSWERS_KEPT_MS) answer.delete(key)
  for (const [id, { created }] of event) if (created * 1000 < now - EVENTS_KEPT_MS) event.delete(id)
}

async function readLines(file: string): Promise<Change[][]> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const whole = content.slice(0, content.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Change[])
}

function apply(maps: Maps, changes: readonly Change[]): void {
  for (const [collection, id, value] of changes) {
    const map = maps[collection] as Map<string, unknown>
    if (value === null) map.delete(id)
    else map.set(id, value)
  }
}

async function writeCompact(file: string, maps: Maps): Promise<void> {
  const lines = Object.entries(maps).flatMap(([collection, map]) =>
    [...map].map(([id, value]) => `${JSON.stringify([[collection, id, value]])}\n`),
  )
  const next = `${file}.next`
  const handle = await open(next, 'w', 0o600)
  try {
    await handle.writeFile(lines.join(''))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(next, file)
}
