import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileError, StartError } from './start-error.ts'

/** By lock file. Referenced for as long as they are held: a collected handle would give its lock away. */
const held = new Map<string, DatabaseSync>()

/**
 * Makes this process the only one that uses `dir`, until `release` or the end of the process, however it ends: the
 * lock is the kernel's (SQLite takes it on the file `name.lock`), so a `kill -9` leaves none behind and a reused
 * process id cannot look like a holder. Nothing else in this process may open that file, or POSIX drops the lock; the
 * holder's process id, for the refusal's sentence, therefore lies in `name.pid`.
 * @throws StartError when another holds it or the folder cannot be written
 */
export function lockInstance(dir: string, options: { name: string; what: string }): { release(): void } {
  const pidFile = join(dir, `${options.name}.pid`)
  let database: DatabaseSync | undefined
  try {
    makeFolder(dir)
    const lockFile = join(realpathSync(dir), `${options.name}.lock`)
    if (held.has(lockFile)) throw new StartError(refusal(options.what, dir, pidFile))
    // A folder that cannot be written would show up as SQLite's "unable to open database file".
    writeFileSync(lockFile, '', { flag: 'a', mode: 0o600 })
    database = new DatabaseSync(lockFile)
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
    const taken = database
    held.set(lockFile, taken)
    return { release: () => release(lockFile, pidFile, taken) }
  } catch (error) {
    database?.close()
    if (isLocked(error)) throw new StartError(refusal(options.what, dir, pidFile), { cause: error })
    throw fileError(error, dir)
  }
}

function release(lockFile: string, pidFile: string, database: DatabaseSync): void {
  if (held.get(lockFile) !== database) return // released before, and maybe taken again
  held.delete(lockFile)
  rmSync(pidFile, { force: true })
  database.close()
}

/** Folder by folder: Node's own recursive mkdir never returns where a file system refuses with ENOENT (/proc). */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return
  makeFolder(dirname(dir))
  mkdirSync(dir, { mode: 0o700 })
}

const SQLITE_BUSY = 5

const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY

function refusal(what: string, dir: string, pidFile: string): string {
  let holder = ''
  try {
    holder = ` (process ${readFileSync(pidFile, 'utf8').trim()})`
  } catch {
    // It has the lock and is about to write its id.
  }
  return `${what} is already running on ${dir}${holder}; stop it first.`
}
