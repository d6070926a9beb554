import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { treeOf } from '../bench/process.ts'

/** Gives this process and what it starts so many cores, so that a race in a test shows. Says so where that is not possible. */
export async function limitCores(name: string, cores: number): Promise<() => Promise<void>> {
  try {
    const release = await limitTo(name, cores)
    process.stdout.write(`with ${cores} of ${availableParallelism()} cores\n`)
    return release
  } catch (error) {
    process.stdout.write(`with all cores, since they cannot be limited here: ${String(error)}\n`)
    return async () => {}
  }
}

const ROOT = '/sys/fs/cgroup'
const IS_V2 = existsSync(join(ROOT, 'cgroup.controllers'))
const GROUPS = IS_V2 ? ROOT : join(ROOT, 'cpu')
/** Short, so that a process that used up its share waits for milliseconds: no host stands still for longer. */
const PERIOD_US = 20_000

/** By a control group of Linux, for the children of now and of later; answers what lifts the limit. Errors: not root, no such group. */
async function limitTo(name: string, cores: number): Promise<() => Promise<void>> {
  const group = join(GROUPS, `prelude-${name}`)
  const quota = Math.round(cores * PERIOD_US)
  await mkdir(group, { recursive: true })
  if (IS_V2) await writeFile(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`)
  else {
    await writeFile(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
    await writeFile(join(group, 'cpu.cfs_quota_us'), String(quota))
  }
  for (const one of await treeOf(process.pid)) await move(one.pid, group)
  return async () => {
    for (const one of await membersOf(group)) await move(one, GROUPS)
    await rmdir(group)
  }
}

const membersOf = async (group: string): Promise<number[]> =>
  (await readFile(join(group, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean).map(Number)

/** A process that has ended meanwhile is no error. */
async function move(pid: number, group: string): Promise<void> {
  await writeFile(join(group, 'cgroup.procs'), String(pid)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ESRCH') throw error
  })
}
