import { type Clock, readDatabaseNow, systemClock } from '../../src/clock.ts'

export interface TestClock extends Clock {
  /** Moves both times forward by `ms`, and ends the waits that are due then. */
  pass(ms: number): void
  /** Moves the time of the process alone. */
  drift(ms: number): void
}

/** The system's clock, set to `startMs` if given, which a test can advance. It advances in real time too, so no test may depend on milliseconds. */
export function testClock(startMs?: number): TestClock {
  let aheadMs = startMs === undefined ? 0 : startMs - systemClock.now()
  const waits = new Set<{ readonly dueAt: number; end(): void }>()
  let driftMs = 0
  const now = (): number => systemClock.now() + aheadMs + driftMs
  return {
    now,
    databaseNow: (query) => readDatabaseNow(query, now, aheadMs),
    wait: async (ms, signal) => {
      const due = new AbortController()
      const wait = { dueAt: now() + ms, end: () => due.abort() }
      waits.add(wait)
      await systemClock.wait(ms, AbortSignal.any([due.signal, ...(signal ? [signal] : [])]))
      waits.delete(wait)
    },
    pass: (ms) => {
      aheadMs += ms
      for (const { dueAt, end } of waits) if (dueAt <= now()) end()
    },
    drift: (ms) => {
      driftMs += ms
    },
  }
}
