import { readFileSync } from 'node:fs'
import { childrenOf } from '../children-of.ts'

/** Observes the process that started it from outside: the memory of it and of what it started. */
export interface Observed {
  /** Since the last report. */
  readonly peakBytes: number
  readonly nowBytes: number
}

const EVERY_MS = 20
const observed = process.ppid
let peakBytes = 0

/** Without the pages of programs, which processes share and the machine can drop. */
function memoryOf(pid: number): number {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
  } catch {
    return 0 // it ended meanwhile
  }
}

function sample(): number {
  const pids = [observed, ...childrenOf(observed)].filter((pid) => pid !== process.pid)
  const nowBytes = pids.reduce((sum, pid) => sum + memoryOf(pid), 0)
  peakBytes = Math.max(peakBytes, nowBytes)
  return nowBytes
}

setInterval(sample, EVERY_MS)
/** Each message asks for what was observed since the one before. */
process.on('message', () => {
  const nowBytes = sample()
  process.send?.({ peakBytes, nowBytes } satisfies Observed)
  peakBytes = 0
})
process.on('disconnect', () => process.exit())
