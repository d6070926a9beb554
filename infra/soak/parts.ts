import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { creditsApi, type EventEnvelope, paymentsApi, songsApi } from '@prelude/contracts'
import { createCredits } from '@prelude/credits'
import { createPayments, type PaymentsConfig } from '@prelude/payments'
import {
  client,
  type Client,
  type Database,
  injectCalls,
  internalApp,
  migrate,
  numberTypes,
  roleUrl,
  type Service,
  serviceDatabase,
} from '@prelude/platform'
import { createConsumer, testDatabase, testLogger, wholeLog } from '@prelude/platform/testing'
import { createSongs } from '@prelude/songs'
import { SERVICE_SCHEMAS } from '../prepare/schemas.ts'
import { type Fragile, fragile } from './fragile.ts'

export const PARTS = ['songs', 'credits', 'payments'] as const
export type Part = (typeof PARTS)[number]

// roles belong to the whole server, which the test run shares, so every test gives them the one password
const PASSWORD = 'test-role-password'
const SECRET = 'soak-internal-secret'

export interface Parts extends AsyncDisposable {
  readonly adminUrl: string
  readonly songs: Client<typeof songsApi>
  readonly credits: Client<typeof creditsApi>
  readonly payments: Client<typeof paymentsApi>
  /** Events of this person after these numbers, in order per topic. */
  emitted(uid: string, after: Readonly<Record<Part, number>>): Promise<EventEnvelope[]>
  /** One batch through the real consumer. Rejects when the part crashes meanwhile. */
  deliver(part: Part, events: readonly EventEnvelope[]): Promise<void>
  /** Runs a job of the part by its name. */
  run(part: Part, job: string): Promise<void>
  /** The part loses its process at the `n`th step from here on. */
  crashAt(part: Part, n: number): void
  /** Starts those again that crashed; answers whether there was one. */
  restart(): Promise<boolean>
}

interface Running {
  readonly db: Fragile
  readonly consumer: ReturnType<typeof createConsumer>
  readonly service: Service
  readonly app: FastifyInstance
}

/**
 * Payments, credits and songs on one real database, each under its own role, with their real consumers and event logs.
 * Nothing moves by itself: whoever holds them delivers events in the order that it likes.
 */
export async function startParts(payments: PaymentsConfig, startingCreditsCents: number): Promise<Parts> {
  const logger = testLogger()
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const make: Record<Part, (db: Database) => Service> = {
    songs: (db) => createSongs({ db }),
    credits: (db) => createCredits({ db, startingCreditsCents }),
    payments: (db) => createPayments({ db, logger, config: payments }),
  }
  // also those of parts that do not run: the invariants look at all
  for (const schema of SERVICE_SCHEMAS) await migrate(adminUrl, schema, PASSWORD, logger)
  const apps = new Map<Part, FastifyInstance>()
  const pools = new Map<Part, Database>()
  const running = new Map<Part, Running>()
  const start = async (part: Part): Promise<void> => {
    const db = fragile(pools.get(part) as Database, () => running.get(part)?.consumer.abort())
    const service = make[part](db)
    const app = internalApp({ part, logger, internalSecret: SECRET })
    await service.routes(app)
    await app.ready()
    apps.set(part, app)
    running.set(part, {
      db,
      service,
      app,
      consumer: createConsumer({ service: part, db, subscribers: service.subscribers, logger }),
    })
  }
  for (const part of PARTS) {
    pools.set(part, serviceDatabase({ url: roleUrl(adminUrl, part, PASSWORD), service: part, logger }))
    await start(part)
  }
  const admin = new pg.Pool({ connectionString: adminUrl, types: numberTypes, max: 2 })
  admin.on('error', () => {})
  const calls = injectCalls(apps, SECRET)
  const get = (part: Part): Running => running.get(part) as Running
  return {
    adminUrl,
    songs: client(calls, 'songs', songsApi),
    credits: client(calls, 'credits', creditsApi),
    payments: client(calls, 'payments', paymentsApi),
    emitted: async (uid, after) =>
      (await admin.query(EMITTED, [uid, ...PARTS.map((part) => after[part])])).rows as EventEnvelope[],
    deliver: async (part, events) => {
      // as from a broker: what was received is not read again after a crash
      const topic = events[0]?.topic
      if (topic) await get(part).consumer.receive({ ...wholeLog(topic, events), resumesAtCursor: false })
    },
    run: async (part, name) => {
      const job = get(part).service.jobs?.find((one) => one.name === name)
      if (!job) throw new Error(`${part} has no job ${name}`)
      await job.run(new AbortController().signal)
    },
    crashAt: (part, n) => get(part).db.crashAt(n),
    restart: async () => {
      const dead = PARTS.filter((part) => get(part).db.isDead)
      for (const part of dead) {
        await get(part).app.close()
        await start(part)
      }
      return dead.length > 0
    },
    [Symbol.asyncDispose]: async () => {
      await admin.end()
      await Promise.all([...running.values()].map(({ app }) => app.close()))
      await Promise.all([...pools.values()].map((pool) => pool.close()))
      await drop()
    },
  }
}

const EMITTED = `${PARTS.map(
  (schema, i) => `select id, type, version, 'prelude.${schema}' as topic, key, position, at,
      correlation_id as "correlationId", data
    from ${schema}.event where key = $1 and position > $${i + 2}::bigint`,
).join(' union all ')} order by topic, position`

/** Whose events a part hears of. */
export const HEARS: Record<Part, readonly Part[]> = {
  songs: ['credits'],
  credits: ['songs', 'payments'],
  payments: ['credits'],
}
