import { type Clock, systemClock } from '@prelude/platform'

/** Shorter waits, as pauses between batches, do not happen. */
const PAUSE_MS = 1_000

/** Time that moves only by `pass`, so that a life follows from its seed alone. */
export interface SteppedClock extends Clock {
  pass(ms: number): void
  /** The clock of one process, which `set` moves apart from the database's. */
  ofProcess(name: string): Clock
  set(name: string, aheadMs: number): void
}

export function steppedClock(): SteppedClock {
  let now = systemClock.now()
  const ahead = new Map<string, number>()
  const clock: Clock = {
    now: () => now,
    databaseNow: async () => now,
    wait: async (ms, signal) => (ms < PAUSE_MS ? undefined : systemClock.wait(ms, signal)),
  }
  return {
    ...clock,
    pass: (ms) => {
      now += ms
    },
    ofProcess: (name) => ({ ...clock, now: () => now + (ahead.get(name) ?? 0) }),
    set: (name, aheadMs) => void ahead.set(name, aheadMs),
  }
}
