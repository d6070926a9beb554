import type { FastifyInstance } from 'fastify'
import { opsApi, type PartState, type Topic } from '@prelude/contracts'
import { AppError } from '../../errors.ts'
import { route } from '../../http/route.ts'
import type { Subscription } from '../../events/port.ts'
import type { PostgresDatabase } from '../../database/database.ts'
import { within } from '../../within.ts'
import { type Queues, readQueues } from '../../events/backlog.ts'
import type { Instances } from './instances.ts'
import {
  discardLetter,
  listBlockedKeys,
  listDeadLetters,
  requestReplay,
  requestReplayOfAll,
} from '../../events/settle-dead-letters.ts'

interface Around {
  readonly db: PostgresDatabase
  readonly instances: Instances
  readonly subscription: Subscription | null
  readonly topics: readonly Topic[]
  readonly gauges: () => Promise<Record<string, number>>
}

/** What people who run the product ask of every part, the same for all. */
export function registerOps(app: FastifyInstance, around: Around): void {
  const { db } = around
  route(app, opsApi.state, () => stateOf(around))
  route(app, opsApi.replay, ({ params }) => requestReplay(db, idOf(params)))
  route(app, opsApi.discard, ({ params }) => discardLetter(db, idOf(params)))
  route(app, opsApi.replayAll, async () => ({ keys: await requestReplayOfAll(db) }))
}

/** A caller waits 4 s for all of it. */
const PATIENCE_MS = 2_000
const NOTHING = { queues: null, deadLetters: [], blocked: [] }

/** Also while the database or the bus is away: whoever asks wants to know just then. */
async function stateOf({ db, instances, subscription, topics, gauges }: Around): Promise<PartState> {
  const [list, rows, lags, own] = await Promise.all([
    instances.list(),
    within(PATIENCE_MS, readRows(db)).catch(() => NOTHING),
    Promise.all(
      topics.map(async (topic) => {
        if (!subscription) return null
        return within(PATIENCE_MS, subscription.lag(topic)).catch(() => null)
      }),
    ),
    within(PATIENCE_MS, gauges()).catch(() => ({})),
  ])
  const { queues, deadLetters, blocked } = rows
  return {
    instances: list,
    outbox: queues && {
      depth: queues.outboxDepth,
      ageSeconds: queues.outboxAgeSeconds,
      blockedKeys: queues.blockedKeys,
    },
    topics: topics.map((topic, i) => ({
      topic,
      lag: lags[i] ?? null,
      deadLetters: queues?.deadLetters[topic] ?? 0,
      parkedKeys: queues?.parkedKeys[topic] ?? 0,
    })),
    deadLetters,
    blocked,
    gauges: own,
  }
}

async function readRows(db: PostgresDatabase): Promise<{
  queues: Queues | null
  deadLetters: PartState['deadLetters']
  blocked: PartState['blocked']
}> {
  const [queues, deadLetters, blocked] = await Promise.all([
    readQueues(db),
    listDeadLetters(db),
    listBlockedKeys(db),
  ])
  return { queues, deadLetters, blocked }
}

function idOf(params: Record<string, string>): number {
  const id = Number(params['id'])
  if (!Number.isSafeInteger(id)) throw new AppError('dead_letter_not_found')
  return id
}
