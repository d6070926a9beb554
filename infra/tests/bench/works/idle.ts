import { setTimeout as delay } from 'node:timers/promises'
import { processTimes, residentBytes } from '../process.ts'
import { atMost, megabytes, type Work } from '../work.ts'

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
      atMost('idle, resident without the database', megabytes, { '': [resident, 200e6] }),
      atMost('idle, share of a core', (share) => `${(share * 100).toFixed(1)} %`, { '': [cpu, 0.008] }),
    ]
  },
}
