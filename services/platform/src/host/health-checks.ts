import type { DependencyState } from '@prelude/contracts'
import { gauge, type Logger, type Measures } from '../observability/index.ts'
import { type Clock, ClocksDiffer } from '../clock.ts'
import type { Query } from '../database/index.ts'
import { within } from '../within.ts'

const PING_TIMEOUT_MS = 2_000
/** Within this time callers get the last result. */
const FRESH_FOR_MS = 5_000

export interface Dependency {
  readonly name: string
  readonly ping: () => Promise<void>
  /** True: without it the service cannot answer its own requests and is `down`; else it is `degraded`. */
  readonly needed: boolean
}

export type HealthChecks = ReturnType<typeof createHealthChecks>

/** Pings what a service depends on. */
export function createHealthChecks(dependencies: readonly Dependency[], clock: Clock) {
  let last: readonly DependencyState[] = []
  let asked: { at: number; answer: Promise<readonly DependencyState[]> } | undefined
  const now = async (): Promise<readonly DependencyState[]> => {
    const answer = Promise.all(
      dependencies.map(async (one): Promise<DependencyState> => {
        const state = await stateOf(one)
        const before = last.find(({ name }) => name === one.name)
        return before?.state === state ? before : { name: one.name, state, since: clock.now() }
      }),
    )
    asked = { at: clock.now(), answer }
    last = await answer
    return last
  }
  /** The results of the last seconds, else `now`. */
  const lately = () => (asked && clock.now() - asked.at < FRESH_FOR_MS ? asked.answer : now())
  return { now, lately }
}

/** Down while the clocks of this process and of its database differ; an outage of the database is that of another dependency. */
export function clockDependency(db: Query, clock: Clock, logger: Logger): Dependency {
  let differ = false
  return {
    name: 'clock',
    needed: true,
    ping: async () => {
      try {
        await within(PING_TIMEOUT_MS / 2, clock.databaseNow(db))
        differ = false
      } catch (error) {
        if (!(error instanceof ClocksDiffer)) return
        if (!differ) logger.error({ err: error }, 'nothing is decided by the time until the clocks agree')
        differ = true
        throw error
      }
    },
  }
}

export function dependencyMeasures({ lately }: HealthChecks): Measures {
  const up = gauge('prelude_dependency_up', '1 when a server or provider that this service uses answers.', [
    'dependency',
  ])
  return {
    metrics: [up],
    read: async () => {
      for (const { name, state } of await lately()) up.set({ dependency: name }, state === 'ok' ? 1 : 0)
    },
  }
}

async function stateOf({ ping, needed }: Dependency): Promise<DependencyState['state']> {
  try {
    await within(PING_TIMEOUT_MS, ping())
    return 'ok'
  } catch {
    return needed ? 'down' : 'degraded'
  }
}
