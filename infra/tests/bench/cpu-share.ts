import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { treeOf } from './process.ts'

/** Processes that together get a share of a core, by a control group of Linux. Needs root. */
export interface CpuShare {
  /** Lifts the limit. */
  end(): Promise<void>
}

const ROOT = '/sys/fs/cgroup'
const IS_V2 = existsSync(join(ROOT, 'cgroup.controllers'))
const GROUPS = IS_V2 ? ROOT : join(ROOT, 'cpu')
/** Short, so that a process that used up its share waits for milliseconds: no host stands still for longer. */
const PERIOD_US = 20_000

/** Limits a process, its children of now and of later to `cores`: at least 0.05. Errors: no rights, no such control group. */
export async function limitTo(name: string, pid: number, cores: number): Promise<CpuShare> {
  const group = join(GROUPS, `prelude-bench-${name}`)
  const quota = Math.round(cores * PERIOD_US)
  await mkdir(group, { recursive: true })
  if (IS_V2) await writeFile(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`)
  else {
    await writeFile(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
    await writeFile(join(group, 'cpu.cfs_quota_us'), String(quota))
  }
  for (const one of await treeOf(pid)) await move(one.pid, group)
  return {
    end: async () => {
      for (const one of await membersOf(group)) await move(one, GROUPS)
      await rmdir(group)
    },
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
