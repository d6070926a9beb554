import type { FastifyInstance } from 'fastify'
import { opsApi, type ServiceState, type Topic } from '@prelude/contracts'
import type { PostgresDatabase } from '../../database/index.ts'
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import {
  ageSeconds,
  countParked,
  discardDeadLetter,
  listDeadLetters,
  type Publisher,
  requestReplay,
  requestReplayOfAll,
  type Subscription,
} from '../../events/index.ts'
import { route } from '../../http/index.ts'
import { within } from '../../within.ts'
import type { Instances } from './instances.ts'

interface Sources {
  readonly db: PostgresDatabase
  readonly clock: Clock
  readonly publisher: Publisher
  readonly instances: Instances
  readonly subscription: Subscription | null
  readonly topics: readonly Topic[]
  readonly gauges: () => Promise<Record<string, number>>
}

/** Operations for the people who run the product, the same for every service. */
export function registerOps(app: FastifyInstance, sources: Sources): void {
  const { db, clock } = sources
  route(app, opsApi.state, () => stateOf(sources))
  route(app, opsApi.replay, ({ params }) => requestReplay(db, idOf(params), clock.now()))
  route(app, opsApi.discard, ({ params }) => discardDeadLetter(db, idOf(params), clock.now()))
  route(app, opsApi.replayAll, async () => ({ keys: await requestReplayOfAll(db, clock.now()) }))
}

/** A caller waits 4 s for the whole response. */
const READ_WITHIN_MS = 2_000

/** Null for a source that does not answer: this state is needed most while something is down. */
const orNull = <T>(read: Promise<T>): Promise<T | null> => within(READ_WITHIN_MS, read).catch(() => null)

async function stateOf(sources: Sources): Promise<ServiceState> {
  const { db, clock, publisher, instances, subscription, topics, gauges } = sources
  const [list, stuck, deadLetters, backlog, lags, own] = await Promise.all([
    instances.list(),
    orNull(countParked(db, clock.now())),
    orNull(listDeadLetters(db)),
    orNull(publisher.backlog()),
    Promise.all(
      topics.map((topic) => (subscription ? orNull(subscription.lag(topic)) : Promise.resolve(null))),
    ),
    orNull(gauges()),
  ])
  return {
    instances: list,
    backlog: backlog && { events: backlog.events, ageSeconds: ageSeconds(backlog, clock.now()) },
    topics: topics.map((topic, i) => ({
      topic,
      lag: lags[i] ?? null,
      deadLetters: stuck?.deadLetters[topic] ?? 0,
      parkedKeys: stuck?.parkedKeys[topic] ?? 0,
    })),
    deadLetters,
    gauges: own ?? {},
  }
}

function idOf(params: Record<string, string>): number {
  const id = Number(params['id'])
  if (!Number.isSafeInteger(id)) throw new AppError('dead_letter_not_found')
  return id
}
