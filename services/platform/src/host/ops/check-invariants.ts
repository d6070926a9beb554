import { gauge, type Logger } from '../../observability/index.ts'
import { connect } from '../../database/index.ts'
import type { Clock } from '../../clock.ts'
import { type Invariant, type Job, timeIn } from '../service.ts'

const EVERY_MS = 60 * 60_000
/** After a breach or an error the check runs again sooner, so that the repair is seen. */
const SOON_MS = 5 * 60_000
/** A process that has just started has more urgent work. */
const FIRST_AFTER_MS = 10 * 60_000
/** Invariants read whole tables; a statement that takes longer is given up. */
const STATEMENT_WITHIN_MS = 5 * 60_000

export const invariantBreaches = () =>
  gauge('prelude_invariant_breaches', 'Breaches of the invariants of this service, as last checked.', [
    'invariant',
  ])

/**
 * Checks the invariants of a service every hour, and every five minutes while one is broken: all in one snapshot, on a
 * connection of its own. One of several instances does it; the gauge of the others is empty.
 */
export function checkInvariants(options: {
  readonly url: string
  readonly schema: string
  readonly invariants: readonly Invariant[]
  readonly breaches: {
    reset(): void
    set(labels: { invariant: string }, count: number): void
  }
  readonly clock: Clock
  readonly logger: Logger
  /** When the first check is due (ms since the epoch). */
  readonly from?: number
}): Job {
  const { url, schema, invariants, breaches, clock, logger } = options
  let next = options.from ?? clock.now() + FIRST_AFTER_MS
  return {
    name: 'check-invariants',
    everyMs: 60_000,
    run: async (signal) => {
      if (clock.now() < next) return
      next = clock.now() + SOON_MS
      const connection = await connect(url, schema, STATEMENT_WITHIN_MS)
      // a stop does not wait for the current statement
      const giveUp = (): void => void connection.connection.stream.destroy()
      signal.addEventListener('abort', giveUp, { once: true })
      try {
        signal.throwIfAborted() // during the connect
        await connection.query('begin transaction isolation level repeatable read read only')
        const lock = 'select pg_try_advisory_xact_lock(hashtext($1)) as held'
        const { rows } = await connection.query<{ held: boolean }>(lock, [`prelude-invariants-${schema}`])
        breaches.reset()
        let broken = 0
        for (const { name, sql } of rows[0]?.held ? invariants : []) {
          const { rowCount } = await connection.query(
            `select from (${sql}) breach limit 1000`,
            timeIn(sql, clock.now()),
          )
          breaches.set({ invariant: name }, rowCount ?? 0)
          if (!rowCount) continue
          broken += 1
          logger.error({ invariant: name, breaches: rowCount }, 'an invariant is broken')
        }
        if (broken === 0) next = clock.now() + EVERY_MS
      } finally {
        signal.removeEventListener('abort', giveUp)
        await connection.end().catch(() => {})
      }
    },
  }
}
