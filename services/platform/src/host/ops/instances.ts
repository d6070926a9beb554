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

export interface Failing {
  readonly name: string
  readonly failures: number
  readonly error: string
}

export interface Instances {
  /** All that reported lately; only this one while the database does not answer. */
  list(): Promise<InstanceReport[]>
  readonly job: Job
  /** Removes this process's report: one that stops in order is not shown as silent. */
  leave(): Promise<void>
}

/** Each process of a service stores a report of itself, and any of them answers for all. */
export function createInstances(options: {
  readonly db: PostgresDatabase
  readonly clock: Clock
  readonly id: () => string
  readonly health: HealthChecks
  readonly subscription: Subscription | null
  readonly leads: () => boolean
  readonly failingJobs: () => readonly Failing[]
  readonly notes: () => unknown
}): Instances {
  const { db, clock, health, subscription } = options
  const startedAt = clock.now()
  const report = async (): Promise<InstanceReport> => ({
    id: options.id(),
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
    failingJobs: [...options.failingJobs()],
    notes: options.notes() ?? null,
  })
  let begun = false
  const write = async (): Promise<void> => {
    const mine = await report()
    if (!begun) await deleteGone(db, mine.id)
    begun = true
    await db.query(
      `insert into instance (id, seen_at, report) values ($1, $2, $3)
       on conflict (id) do update set seen_at = excluded.seen_at, report = excluded.report`,
      [mine.id, mine.seenAt, JSON.stringify(mine)],
    )
    await db.query('delete from instance where seen_at < $1', [mine.seenAt - FORGOTTEN_AFTER_MS])
  }
  return {
    list: async () => {
      const mine = await report()
      const others = db.query<{ report: InstanceReport }>('select report from instance where id <> $1', [
        mine.id,
      ])
      const { rows } = await within(READ_WITHIN_MS, others).catch(() => ({ rows: [] }))
      return [...rows.map((row) => row.report), mine].toSorted((one, other) => one.id.localeCompare(other.id))
    },
    job: { name: 'report-instance', everyMs: REPORT_EVERY_MS, run: write },
    leave: async () => {
      await db.query('delete from instance where id = $1', [options.id()]).catch(() => {})
    },
  }
}

/**
 * Deletes the reports of processes of this host that run no more, so that a killed one is not shown as silent once another
 * runs instead. A host name is that of one machine or container, in which process ids are unique.
 */
async function deleteGone(db: PostgresDatabase, mine: string): Promise<void> {
  const host = mine.slice(0, mine.lastIndexOf(':') + 1)
  const { rows } = await db.query<{ id: string; pid: number }>(
    `select id, (report ->> 'pid')::integer as pid from instance where starts_with(id, $1) and id <> $2`,
    [host, mine],
  )
  const gone = rows.filter(({ pid }) => !isRunning(pid)).map(({ id }) => id)
  if (gone.length > 0) await db.query('delete from instance where id = any($1::text[])', [gone])
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
