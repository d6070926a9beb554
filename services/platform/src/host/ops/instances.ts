import type { InstanceReport } from '@prelude/contracts'
import type { HealthChecks } from '../health-checks.ts'
import type { Subscription } from '../../events/index.ts'
import type { PostgresDatabase } from '../../database/index.ts'
import type { Clock } from '../../clock.ts'
import type { Job } from '../service.ts'
import { within } from '../../within.ts'

const REPORT_EVERY_MS = 10_000
const READ_WITHIN_MS = 1_500
/** A process that was killed is shown as silent for this long, then forgotten. */
const FORGOTTEN_AFTER_MS = 10 * 60_000

type Failing = InstanceReport['failingJobs'][number]

export type Instances = ReturnType<typeof createInstances>

/** Each process of a service stores a report of itself, and any of them answers for all. */
export function createInstances(options: {
  readonly db: PostgresDatabase
  readonly clock: Clock
  /** One that is started in its place has the same. */
  readonly id: string
  readonly health: HealthChecks
  readonly subscription: Subscription | null
  readonly leads: () => boolean
  readonly failingJobs: () => Failing[]
  readonly notes: () => unknown
}) {
  const { db, clock, health, subscription } = options
  const startedAt = clock.now()
  const report = async (): Promise<InstanceReport> => ({
    id: options.id,
    pid: process.pid,
    startedAt,
    seenAt: clock.now(),
    dependencies: [...(await health.lately())],
    leads: options.leads(),
    attemptAt: subscription ? Math.round(clock.now() - subscription.sinceAttemptMs()) : null,
    connections: {
      used: db.pool.totalCount - db.pool.idleCount,
      most: db.pool.options.max,
      waiting: db.pool.waitingCount,
    },
    failingJobs: options.failingJobs(),
    notes: options.notes() ?? null,
  })
  const write = async (): Promise<void> => {
    const mine = await report()
    await db.query(
      `insert into instance (id, seen_at, report) values ($1, $2, $3)
       on conflict (id) do update set seen_at = excluded.seen_at, report = excluded.report`,
      [mine.id, mine.seenAt, JSON.stringify(mine)],
    )
    await db.query('delete from instance where seen_at < $1', [mine.seenAt - FORGOTTEN_AFTER_MS])
  }
  return {
    /** All that reported lately; only this one while the database does not answer. */
    list: async (): Promise<InstanceReport[]> => {
      const mine = await report()
      const others = db.query<{ report: InstanceReport }>('select report from instance where id <> $1', [
        mine.id,
      ])
      const { rows } = await within(READ_WITHIN_MS, others).catch(() => ({ rows: [] }))
      return [...rows.map((row) => row.report), mine].toSorted((one, other) => one.id.localeCompare(other.id))
    },
    job: { name: 'report-instance', everyMs: REPORT_EVERY_MS, run: write } satisfies Job,
    /** Removes this process's report: one that stops in order is not shown as silent. */
    leave: async (): Promise<void> => {
      await db.query('delete from instance where id = $1', [options.id]).catch(() => {})
    },
  }
}
