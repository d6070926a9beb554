import { execFileSync } from 'node:child_process'
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Stops the server that a killed process left running on `cluster`, and removes its postmaster.pid and socket files: when
 * another program has its process id by now, PostgreSQL would take that for a running server and refuse to start. The
 * caller holds the lock on the folder; PostgreSQL itself finds backends that still run, by their shared memory.
 */
export async function stopOrphan(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
  if (Number.isInteger(pid) && pid > 1) {
    const folder = await realpath(cluster)
    await terminate(pid, () => isServerOf(pid, folder))
  }
  await rm(file, { force: true })
  for (const entry of await readdir(cluster, { withFileTypes: true }).catch(() => []))
    if (entry.name.startsWith('.s.PGSQL.') && !entry.isDirectory())
      await rm(join(cluster, entry.name), { force: true })
}

/** Fast shutdown; after 8 s immediate shutdown, which recovery repairs; after 3 s more SIGKILL. */
export async function terminate(pid: number, isRunning: () => Promise<boolean>): Promise<void> {
  const steps = [
    { signal: 'SIGINT', waitMs: 8_000 },
    { signal: 'SIGQUIT', waitMs: 3_000 },
    { signal: 'SIGKILL', waitMs: 1_000 },
  ] as const
  for (const { signal, waitMs } of steps) {
    if (!(await isRunning())) return
    try {
      process.kill(pid, signal)
    } catch {
      return // exited in between
    }
    const deadline = Date.now() + waitMs
    while (Date.now() < deadline && (await isRunning())) await delay(15)
  }
}

/** A zombie still has an id, but neither a program nor a working directory. */
async function isServerOf(pid: number, folder: string): Promise<boolean> {
  try {
    if (process.platform === 'linux') {
      const program = basename(await readlink(`/proc/${pid}/exe`)) // "postgres (deleted)" after an upgrade
      return program.startsWith('postgres') && (await readlink(`/proc/${pid}/cwd`)) === folder
    }
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return command.includes('postgres') && command.includes(folder)
  } catch {
    return false
  }
}
