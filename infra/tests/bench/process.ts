import { readdir, readFile } from 'node:fs/promises'

const TICK_MS = 10 // USER_HZ is 100 on every Linux that Node runs on

interface Process {
  readonly pid: number
  readonly parent: number
  /** CPU time of all its threads. */
  readonly cpuMs: number
  /** The same of children that have ended. */
  readonly endedMs: number
}

/** Null when it has ended. */
async function readProcess(pid: number): Promise<Process | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // the program's name, in parentheses, may hold spaces
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [parent, ...ticks] = [1, 11, 12, 13, 14].map((n) => Number(fields[n])) as [number, ...number[]]
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = ticks
  return { pid, parent, cpuMs: (user + system) * TICK_MS, endedMs: (endedUser + endedSystem) * TICK_MS }
}

/** CPU time of a process, all its threads, in milliseconds. Linux only. Errors: it has ended. */
export async function processTimes(pid: number): Promise<number> {
  const found = await readProcess(pid)
  if (!found) throw new Error(`process ${pid} has ended`)
  return found.cpuMs
}

/** The process that started it; 0 when it has ended. Linux only. */
export const parentOf = async (pid: number): Promise<number> => (await readProcess(pid))?.parent ?? 0

/** A process and its descendants. Linux only. */
export async function treeOf(root: number): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const all = (await Promise.all(pids.map((pid) => readProcess(Number(pid))))).filter((one) => one !== null)
  const found = all.filter(({ pid }) => pid === root)
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
  return found
}

/** CPU time of a process and its descendants, also of those that have ended, in milliseconds. Linux only. */
export const treeTimes = async (root: number): Promise<number> =>
  (await treeOf(root)).reduce((sum, { cpuMs, endedMs }) => sum + cpuMs + endedMs, 0)

/** Resident memory of a process. Linux only. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}

/** Peak resident memory of a process while `work` runs, sampled every 100 ms. */
export async function peakBytes<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ peak: number; result: T }> {
  let peak = 0
  const timer = setInterval(() => {
    residentBytes(pid).then(
      (bytes) => (peak = Math.max(peak, bytes)),
      () => undefined,
    )
  }, 100)
  try {
    return { result: await work(), peak: Math.max(peak, await residentBytes(pid)) }
  } finally {
    clearInterval(timer)
  }
}
