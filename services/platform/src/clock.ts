import type { Query } from './database/index.ts'

/** Time as a port; instants are milliseconds since the epoch. Code of the product asks it, never `Date.now()`, so that tests can move it. */
export interface Clock {
  /** The time of this process. */
  now(): number
  /**
   * The database's time, the same for all instances, also inside a transaction as it is during this statement. What takes a right
   * away (late, accepted, expired) is decided by it.
   */
  databaseNow(query: Query): Promise<number>
  /** Resolves once `ms` have passed by this clock, or when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  databaseNow: async (query) => {
    const sql = 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now'
    const { rows } = await query.query<{ now: number }>(sql)
    return Number(rows[0]?.now)
  },
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
