import pg from 'pg'
import type { Gauge } from 'prom-client'
import type { Logger } from '../../observability/index.ts'
import { connectionOptions } from '../../database/index.ts'
import type { Invariant, Job } from '../service.ts'

const EVERY_MS = 60 * 60_000
/** What is broken is looked at more often, so that its repair is seen; so is what could not be looked at. */
const SOON_MS = 5 * 60_000
/** A process that has just started has other things to do. */
const FIRST_AFTER_MS = 10 * 60_000
/** They read whole tables; a look that takes longer is given up. */
const STATEMENT_WITHIN_MS = 5 * 60_000

/**
 * Looks every hour whether a part's own invariants hold, all in one snapshot, on a connection of its own; every five minutes
 * while one does not. Of several instances one does it; the gauge of the others says nothing.
 */
export function checkInvariants(options: {
  readonly url: string
  readonly schema: string
  readonly invariants: readonly Invariant[]
  readonly breaches: Gauge
  readonly logger: Logger
  /** When the first look is due (ms since the epoch). */
  readonly from?: number
}): Job {
  const { url, schema, invariants, breaches, logger } = options
  let next = options.from ?? Date.now() + FIRST_AFTER_MS
  return {
    name: 'check-invariants',
    everyMs: 60_000,
    run: async (signal) => {
      if (Date.now() < next) return
      next = Date.now() + SOON_MS
      const connection = new pg.Client({
        ...connectionOptions(url, schema),
        statement_timeout: STATEMENT_WITHIN_MS,
      })
      connection.on('error', () => {}) // its query rejects
      await connection.connect()
      // at a stop the statement under way is given up, however long it would take
      const giveUp = (): void => void connection.connection.stream.destroy()
      signal.addEventListener('abort', giveUp, { once: true })
      try {
        await connection.query('begin transaction isolation level repeatable read read only')
        const lock = 'select pg_try_advisory_xact_lock(hashtext($1)) as held'
        const { rows } = await connection.query<{ held: boolean }>(lock, [`prelude-invariants-${schema}`])
        breaches.reset()
        let broken = 0
        for (const { name, sql } of rows[0]?.held ? invariants : []) {
          const { rowCount } = await connection.query(`select from (${sql}) breach limit 1000`)
          breaches.set({ invariant: name }, rowCount ?? 0)
          if (!rowCount) continue
          broken += 1
          logger.error({ invariant: name, breaches: rowCount }, 'an invariant is broken')
        }
        if (broken === 0) next = Date.now() + EVERY_MS
      } finally {
        signal.removeEventListener('abort', giveUp)
        await connection.end().catch(() => {})
      }
    },
  }
}
