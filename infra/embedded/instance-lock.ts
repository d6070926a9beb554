import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileError, StartError } from './start-error.ts'

/** Held locks by lock file. The reference keeps the handle alive: garbage collection would release the lock. */
const held = new Map<string, DatabaseSync>()

/**
 * Locks `dir` for this process until `release` or the end of the process. It is a kernel lock (SQLite takes it on the file
 * `name.lock`), so a `kill -9` leaves none behind and a reused process id cannot look like a holder. Nothing else in this
 * process may open that file, or POSIX drops the lock; the holder's process id, for the error message, is therefore in
 * `name.pid`.
 * @throws StartError when another process holds it or the folder cannot be written
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
  if (held.get(lockFile) !== database) return // released before, and maybe locked again
  held.delete(lockFile)
  rmSync(pidFile, { force: true })
  database.close()
}

/** Recursive mkdir: Node's own never returns where a file system refuses with ENOENT (/proc). */
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
    // the holder has the lock and has not written its id yet
  }
  return `${what} is already running on ${dir}${holder}; stop it first.`
}
