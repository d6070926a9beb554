import { setTimeout as delay } from 'node:timers/promises'
import { processTimes, residentBytes } from '../process.ts'
import { megabytes, type Work } from '../work.ts'

const SETTLING_MS = 20_000 // code is still being compiled, and every job has its first round
const WATCHED_MS = 10_000

/** The product with nobody there: all parts and stand-ins in one process, without the database's. */
export const idle: Work = {
  name: 'idle',
  run: async ({ ours }) => {
    const { pid } = ours.product.endpoints
    await delay(SETTLING_MS)
    const before = await processTimes(pid)
    await delay(WATCHED_MS)
    const cpu = ((await processTimes(pid)) - before) / WATCHED_MS
    const resident = await residentBytes(pid)
    return [
      {
        work: 'idle, resident without the database',
        ours: megabytes(resident),
        goal: '≤ 200 MB',
        met: resident <= 200e6,
      },
      {
        work: 'idle, share of a core',
        ours: `${(cpu * 100).toFixed(1)} %`,
        goal: '≤ 1 %',
        met: cpu <= 0.01,
      },
    ]
  },
}
