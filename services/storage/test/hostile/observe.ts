import { readFileSync } from 'node:fs'
import { childrenOf } from '../children-of.ts'

/** Observes its parent process from outside: the memory of the parent and of what it started. */
export interface Observed {
  readonly peakBytes: number
}

const EVERY_MS = 20
let peakBytes = 0

/** Without the pages of programs, which processes share and the machine can drop. */
function memoryOf(pid: number): number {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
  } catch {
    return 0 // it ended meanwhile
  }
}

function sample(): void {
  const pids = [process.ppid, ...childrenOf(process.ppid)].filter((pid) => pid !== process.pid)
  peakBytes = Math.max(
    peakBytes,
    pids.reduce((sum, pid) => sum + memoryOf(pid), 0),
  )
}

setInterval(sample, EVERY_MS)
/** Each message asks for what was observed since the one before. */
process.on('message', () => {
  sample()
  process.send?.({ peakBytes } satisfies Observed)
  peakBytes = 0
})
process.on('disconnect', () => process.exit())
