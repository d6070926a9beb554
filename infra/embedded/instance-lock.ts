import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileError, StartError } from './start-error.ts'

/** Referenced for as long as they are held: a collected handle would give its lock away. */
const held = new Set<DatabaseSync>()

/**
 * Makes this process the only one that uses `dir`, until `release` or the end of the process, however it ends: the
 * lock is the kernel's (SQLite takes it on the file `name.lock`), so a `kill -9` leaves none behind and a reused
 * process id cannot look like a holder. Nothing in this process may open that file, or POSIX drops the lock; the
 * holder's process id, for the refusal's sentence, therefore lies in `name.pid`.
 * @throws StartError when another holds it or the folder cannot be written
 */
export function lockInstance(dir: string, options: { name: string; what: string }): { release(): void } {
  const pidFile = join(dir, `${options.name}.pid`)
  let database: DatabaseSync | undefined
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    // A folder that cannot be written would show up as SQLite's "unable to open database file".
    writeFileSync(join(dir, `${options.name}.lock`), '', { flag: 'a', mode: 0o600 })
    database = new DatabaseSync(join(dir, `${options.name}.lock`))
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    database?.close()
    if (isLocked(error)) throw new StartError(refusal(options.what, dir, pidFile), { cause: error })
    throw fileError(error, dir)
  }
  const handle = database
  held.add(handle)
  return {
    release() {
      if (!held.delete(handle)) return
      rmSync(pidFile, { force: true })
      handle.close()
    },
  }
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
