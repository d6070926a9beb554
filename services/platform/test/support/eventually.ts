import { setTimeout as delay } from 'node:timers/promises'

/** The one limit of all waiting in tests: far longer than anything here takes, so that a busy machine turns no test red. */
export const WAIT_MS = 60_000
const INTERVAL_MS = 50

/** Calls `attempt` until it succeeds, and answers its value. Errors: those of the last attempt, after 60 s. */
export async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await delay(INTERVAL_MS)
  }
}
