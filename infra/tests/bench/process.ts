import { readFile } from 'node:fs/promises'

export const TICK_MS = 10 // USER_HZ is 100 on every Linux that Node runs on

/** CPU time of a process, all its threads, in milliseconds. Linux only. */
export async function processTimes(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

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
