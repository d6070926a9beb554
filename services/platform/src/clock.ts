import type { Query } from './database/index.ts'
import { Unavailable } from './errors.ts'

/** Time as a port; instants are milliseconds since the epoch. Code of the product asks it, never `Date.now()`, so that tests can move it. */
export interface Clock {
  /** The time of this process. */
  now(): number
  /**
   * The database's time, the same for all instances, also inside a transaction as it is during this statement. What takes a right
   * away (late, accepted, expired) is decided by it. Errors: ClocksDiffer.
   */
  databaseNow(query: Query): Promise<number>
  /** Resolves once `ms` have passed by this clock, or when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

/** Requests between services have no longer either. */
const MOST_APART_MS = 60_000

/** The clocks of this process and of its database are over a minute apart. Which one is wrong is not known: nothing is decided by either. */
export class ClocksDiffer extends Unavailable {
  override readonly name = 'ClocksDiffer'
  constructor(ms: number) {
    super('the time')
    this.message = `the clocks of this process and of its database are ${Math.round(ms / 1000)} s apart`
  }
}

/** The database's time by a clock that is so far ahead of the system's. `now`: the time of the process by it. Errors: ClocksDiffer. */
export async function readDatabaseNow(query: Query, now: () => number, aheadMs = 0): Promise<number> {
  const before = now()
  const sql = 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now'
  const { rows } = await query.query<{ now: number }>(sql)
  const time = Number(rows[0]?.now) + aheadMs
  const apartMs = Math.max(before - time, time - now())
  if (apartMs > MOST_APART_MS) throw new ClocksDiffer(apartMs)
  return time
}

export const systemClock: Clock = {
  now: () => Date.now(),
  databaseNow: (query) => readDatabaseNow(query, systemClock.now),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      signal?.addEventListener('abort', done)
      if (signal?.aborted) done()
    }),
}
