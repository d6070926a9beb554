import { mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const IN_MEMORY = '/dev/shm'
/** A whole run has up to a fourth of it at a time. */
const NEEDED_BYTES = 4 * 1024 ** 3
const DAY_MS = 24 * 60 * 60_000

/**
 * Has temporary files of tests, and of what they start, kept in memory where there is room, unless `TMPDIR` is set: a
 * database of a test is some 300 files, and a file costs up to thirty times as much on a disk.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env['TMPDIR'] !== undefined || freeBytes() < NEEDED_BYTES) return
  const folder = join(IN_MEMORY, 'prelude-tests')
  mkdirSync(folder, { recursive: true, mode: 0o711 }) // servers that run as another user must reach their folders
  // what a killed run left would take memory until the next start of the machine; other runs remove their files meanwhile
  for (const name of readdirSync(folder)) {
    const changed = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (Date.now() - changed > DAY_MS) rmSync(join(folder, name), { recursive: true, force: true })
  }
  process.env['TMPDIR'] = folder
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize
  } catch {
    return 0
  }
}
