import { setTimeout as delay } from 'node:timers/promises'
import { processTimes, residentBytes } from '../process.ts'
import { megabytes, type Work } from '../work.ts'

const SETTLING_MS = 20_000 // the JIT still compiles, and every job has its first run
const WATCHED_MS = 10_000

/** The product without users: all services and stand-ins in one process, without the database's processes. */
export const idle: Work = {
  name: 'idle',
  run: async ({ product }) => {
    const { pid } = product.process.endpoints
    await delay(SETTLING_MS)
    const before = await processTimes(pid)
    await delay(WATCHED_MS)
    const cpu = ((await processTimes(pid)) - before) / WATCHED_MS
    const resident = await residentBytes(pid)
    return [
      {
        work: 'idle, resident without the database',
        product: megabytes(resident),
        goal: '≤ 200 MB',
        met: resident <= 200e6,
      },
      {
        work: 'idle, share of a core',
        product: `${(cpu * 100).toFixed(1)} %`,
        goal: '≤ 1 %',
        met: cpu <= 0.01,
      },
    ]
  },
}
