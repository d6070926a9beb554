import { checkInvariants, type Clock, connect, type Job, type Logger, setting, url } from '@prelude/platform'
import { crossInvariants } from './cross.ts'
import { logInvariants, SOURCES } from './events.ts'

const SCHEMA = 'notifier'

/** Of the process that checks alone. */
export const auditorSettings = {
  auditUrl: setting('AUDIT_DATABASE_URL', 'database, as the role that reads all services', url),
}

/**
 * Checks the cross-service invariants every hour, and every five minutes while one is broken; the first time at once. Services cannot do it themselves,
 * since none may read another's tables: it runs under a role that may read all of them, and writes only its result, into a
 * table of the notifier, whose metrics and alerts show it.
 */
export function crossCheck(options: { url: string; clock: Clock; logger: Logger; from?: number }): Job {
  const { clock, logger, from } = options
  const url = named(options.url)
  const invariants = [...crossInvariants, ...Object.keys(SOURCES).flatMap(logInvariants)]
  let found = new Map<string, number>()
  const breaches = {
    reset: () => void (found = new Map()),
    set: ({ invariant }: { invariant: string }, count: number) => void found.set(invariant, count),
  }
  const checking = (first: number | undefined): Job =>
    checkInvariants({
      url,
      schema: SCHEMA,
      invariants,
      breaches,
      clock,
      logger,
      ...(first !== undefined && { from: first }),
    })
  let job: Job | undefined
  return {
    name: 'cross-check',
    everyMs: 60_000,
    run: async (signal) => {
      job ??= checking(from ?? ((await neverChecked(url)) ? 0 : undefined))
      found = new Map()
      await job.run(signal)
      if (found.size > 0) await record(url, found, clock.now()) // else it was not due, or another process does it
    },
  }
}

/** With its own name in pg_stat_activity, where a restore looks for what still runs. */
function named(url: string): string {
  const address = new URL(url)
  address.searchParams.set('application_name', 'prelude-auditor')
  return address.href
}

async function neverChecked(url: string): Promise<boolean> {
  const client = await connect(url, SCHEMA, 10_000)
  try {
    return (await client.query('select from cross_check limit 1')).rowCount === 0
  } finally {
    await client.end().catch(() => {})
  }
}

async function record(url: string, found: ReadonlyMap<string, number>, at: number): Promise<void> {
  const client = await connect(url, SCHEMA, 10_000)
  try {
    const names = [...found.keys()]
    await client.query('begin')
    await client.query('delete from cross_check where invariant <> all ($1)', [names])
    await client.query(
      `insert into cross_check (invariant, breaches, checked_at)
       select name, found, $3 from unnest($1::text[], $2::integer[]) as checked (name, found)
       on conflict (invariant) do update set breaches = excluded.breaches, checked_at = excluded.checked_at`,
      [names, [...found.values()], at],
    )
    await client.query('commit')
  } finally {
    await client.end().catch(() => {})
  }
}
