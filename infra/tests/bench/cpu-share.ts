import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TICK_MS } from './process.ts'

/** Processes that together get a share of a core, by a control group of Linux. Needs root. */
export interface CpuShare {
  /** CPU time of all processes so far, in milliseconds. */
  used(): Promise<number>
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
    used: async () => (await treeOf(pid)).reduce((sum, { cpuMs }) => sum + cpuMs, 0),
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

interface Process {
  readonly pid: number
  readonly parent: number
  /** Its CPU time and that of children that have ended. */
  readonly cpuMs: number
}

/** A process and its descendants. */
async function treeOf(root: number): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const all = (await Promise.all(pids.map((pid) => readProcess(Number(pid))))).filter((one) => one !== null)
  const found = all.filter(({ pid }) => pid === root)
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
  return found
}

/** Null when it has ended. */
async function readProcess(pid: number): Promise<Process | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // the program's name, in parentheses, may hold spaces
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { pid, parent: Number(fields[1]), cpuMs: ticks * TICK_MS }
}
