import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import {
  AccountClosed,
  creditsApi,
  type EventEnvelope,
  paymentsApi,
  type ServiceName,
  songsApi,
} from '@prelude/contracts'
import { createCredits } from '@prelude/credits'
import { createPayments, type PaymentsConfig } from '@prelude/payments'
import {
  client,
  type Client,
  type Database,
  identitiesFrom,
  injectCalls,
  internalApp,
  migrate,
  numberTypes,
  roleUrl,
  type Service,
  serviceDatabase,
  systemClock,
} from '@prelude/platform'
import { createConsumer, testDatabase, testLogger, wholeLog } from '@prelude/platform/testing'
import { createSongs } from '@prelude/songs'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { type Fragile, fragile } from './fragile.ts'

export const SERVICES = ['songs', 'credits', 'payments'] as const
export type MoneyService = (typeof SERVICES)[number]

/** Whose events they receive: their own, and the gateway's, which says that an account was closed. */
const SOURCES = [...SERVICES, 'gateway'] as const
export type Source = (typeof SOURCES)[number]

// roles belong to the whole server, which the test run shares, so every test gives them the one password
const PASSWORD = 'test-role-password'

/** Promises pass at once. Nothing is accepted by silence. */
const PASSING = { turnaroundHours: 0, songsPerDay: 1e12, changesIncluded: 1, changesDays: 3 }

export interface MoneyServices extends AsyncDisposable {
  readonly adminUrl: string
  readonly songs: Client<typeof songsApi>
  readonly credits: Client<typeof creditsApi>
  readonly payments: Client<typeof paymentsApi>
  /** Events of this person after these numbers, in order per topic. */
  emitted(uid: string, after: Readonly<Record<Source, number>>): Promise<EventEnvelope[]>
  /** One batch through the real consumer. Rejects when the service crashes meanwhile. */
  deliver(service: MoneyService, events: readonly EventEnvelope[]): Promise<void>
  /** Emits, as the gateway, that this person's account is closed. */
  closeAccount(uid: string): Promise<void>
  /** Runs a job of the service by its name. */
  run(service: MoneyService, job: string): Promise<void>
  /** The service loses its process at the `n`th step from here on. */
  crashAt(service: MoneyService, n: number): void
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
 * Nothing moves by itself: the test delivers the events, in any order.
 */
export async function startServices(
  payments: PaymentsConfig,
  startingCreditsCents: number,
): Promise<MoneyServices> {
  const logger = testLogger()
  const identityOf = identitiesFrom('soak-internal-secret')
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const make: Record<MoneyService, (db: Database) => Service> = {
    songs: (db) => createSongs({ db, clock: systemClock, config: PASSING }),
    credits: (db) => createCredits({ db, clock: systemClock, config: { startingCreditsCents } }),
    payments: (db) => createPayments({ db, clock: systemClock, logger, config: payments }),
  }
  // also those of services that do not run: the invariants look at all
  for (const schema of SERVICE_SCHEMAS) await migrate(adminUrl, schema, PASSWORD, logger)
  const apps = new Map<MoneyService, FastifyInstance>()
  const pools = new Map<MoneyService, Database>()
  const running = new Map<MoneyService, Running>()
  const start = async (name: MoneyService): Promise<void> => {
    const db = fragile(pools.get(name) as Database, () => running.get(name)?.consumer.abort())
    const service = make[name](db)
    const app = internalApp({ identity: identityOf(name), clock: systemClock, logger })
    await service.routes(app)
    await app.ready()
    apps.set(name, app)
    running.set(name, {
      db,
      service,
      app,
      consumer: createConsumer({ service: name, db, subscribers: service.subscribers, logger }),
    })
  }
  for (const name of SERVICES) {
    pools.set(
      name,
      serviceDatabase({ url: roleUrl(adminUrl, name, PASSWORD), service: name, clock: systemClock, logger }),
    )
    await start(name)
  }
  const admin = new pg.Pool({ connectionString: adminUrl, types: numberTypes, max: 2 })
  admin.on('error', () => {})
  const calls = injectCalls(apps, identityOf('gateway'), systemClock)
  const gateway = serviceDatabase({
    url: roleUrl(adminUrl, 'gateway', PASSWORD),
    service: 'gateway',
    clock: systemClock,
    logger,
    poolSize: 1,
  })
  const get = (name: MoneyService): Running => running.get(name) as Running
  return {
    adminUrl,
    songs: client(calls, 'songs', songsApi),
    credits: client(calls, 'credits', creditsApi),
    payments: client(calls, 'payments', paymentsApi),
    emitted: async (uid, after) =>
      (await admin.query(EMITTED, [uid, ...SOURCES.map((name) => after[name])])).rows as EventEnvelope[],
    deliver: async (name, events) => {
      // as from a broker: what was received is not read again after a crash
      const topic = events[0]?.topic
      if (topic) await get(name).consumer.receive({ ...wholeLog(topic, events), resumesAtCursor: false })
    },
    closeAccount: (uid) => gateway.transaction(async (tx) => tx.emit(AccountClosed, { uid })),
    run: async (name, jobName) => {
      const job = get(name).service.jobs?.find((one) => one.name === jobName)
      if (!job) throw new Error(`${name} has no job ${jobName}`)
      await job.run(new AbortController().signal)
    },
    crashAt: (name, n) => get(name).db.crashAt(n),
    restart: async () => {
      const dead = SERVICES.filter((name) => get(name).db.isDead)
      for (const name of dead) {
        await get(name).app.close()
        await start(name)
      }
      return dead.length > 0
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([admin.end(), gateway.close()])
      await Promise.all([...running.values()].map(({ app }) => app.close()))
      await Promise.all([...pools.values()].map((pool) => pool.close()))
      await drop()
    },
  }
}

const eventsIn = (schema: ServiceName): string =>
  `select id, type, version, "for", 'prelude.${schema}' as topic, key, position, at, correlation_id as "correlationId", data
   from ${schema}.event where key = $1`

const EMITTED = `${SOURCES.map((name, i) => `${eventsIn(name)} and position > $${i + 2}::bigint`).join(
  ' union all ',
)} order by topic, position`

/** The services whose events a service receives. */
export const SUBSCRIBES_TO: Record<MoneyService, readonly Source[]> = {
  songs: ['credits', 'gateway'],
  credits: ['songs', 'payments', 'gateway'],
  payments: ['credits', 'gateway'],
}
