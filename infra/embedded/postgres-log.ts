import { createReadStream, createWriteStream, openSync } from 'node:fs'
import { open, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/**
 * PostgreSQL's log in its data folder: `postgres.log` since the last start or midnight (UTC), before that a file a day. The
 * server writes into an open file, which is therefore copied and emptied, not renamed.
 */

const NAME = 'postgres.log'
const DAY_MS = 86_400_000
const KEPT_DAYS = 14

export interface PostgresLog {
  readonly fd: number
  /** Offset of this start's first line. */
  readonly from: number
  readonly path: string
}

export async function openLog(dataDir: string): Promise<PostgresLog> {
  await rotateLog(dataDir, Date.now()).catch(() => {}) // on a full disk the server itself says so
  const path = join(dataDir, NAME)
  const from = (await stat(path).catch(() => null))?.size ?? 0
  return { fd: openSync(path, 'a', 0o600), from, path }
}

/** The first 64 KB since the start. */
export async function readLog({ path, from }: PostgresLog): Promise<string> {
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64 * 1024), position: from })
  return buffer.toString('utf8', 0, bytesRead)
}

const dated = (at: number): string => `${NAME}.${new Date(at).toISOString().slice(0, 10)}`

/** Appends what was logged until `now` to the file of that day, and removes the files of more than 14 days before. */
export async function rotateLog(dataDir: string, now: number): Promise<void> {
  const path = join(dataDir, NAME)
  if ((await stat(path).catch(() => null))?.size) {
    const file = createWriteStream(join(dataDir, dated(now)), { flags: 'a', mode: 0o600 })
    await pipeline(createReadStream(path), file)
    await truncate(path)
  }
  const old = (await readdir(dataDir)).filter(
    (name) => name.startsWith(`${NAME}.`) && name < dated(now - KEPT_DAYS * DAY_MS),
  )
  for (const name of old) await rm(join(dataDir, name))
}

/** Rotates at every midnight (UTC) until `exited`. A folder that is full or gone stops nothing. */
export function rotateEveryDay(dataDir: string, exited: Promise<unknown>): void {
  const untilMidnight = (): number => DAY_MS - (Date.now() % DAY_MS)
  const rotate = (): void => {
    timer = setTimeout(rotate, untilMidnight()).unref()
    void rotateLog(dataDir, Date.now() - 1).catch(() => {}) // the day that ended
  }
  let timer = setTimeout(rotate, untilMidnight()).unref()
  void exited.then(() => clearTimeout(timer))
}
