import { randomBytes } from 'node:crypto'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import pg from 'pg'
import { inject } from 'vitest'
import type { EventData, EventDefinition, EventEnvelope, Operation } from '@prelude/contracts'
import { BUS_SCHEMA } from '../events/log-reader.ts'
import { BUS_MIGRATIONS, postgresBus } from '../events/postgres-bus.ts'
import { type Client, client } from '../http/calls/client.ts'
import { signCall } from '../http/calls/identity.ts'
import { injectCalls } from '../http/calls/inject-calls.ts'
import { internalApp } from '../http/internal-app.ts'
import { newId } from '../ids.ts'
import { createLogger, type Logger } from '../observability/logger.ts'
import { KV_MIGRATIONS, KV_SCHEMA, postgresKeyValue } from '../key-value/postgres-kv.ts'
import type { BusMessage, EventBus } from '../events/port.ts'
import type { Database, Query } from '../database/port.ts'
import type { KeyValue } from '../key-value/port.ts'
import type { ServiceName } from '@prelude/contracts'
import type { ServiceCall } from '../http/calls/port.ts'
import {
  connectionOptions,
  numberTypes,
  postgresDatabase,
  type PostgresDatabase,
} from '../database/database.ts'
import { createInbox } from '../events/consumer.ts'
import { migrate, roleUrl } from '../database/migrate.ts'
import type { Service } from '../host/service.ts'

export { createInbox }

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that the whole test run shares; each test database in it is its own. */
    adminUrl: string
  }
}

const SECRET = 'test-internal-secret'
const PASSWORD = 'test-role-password'

export const testLogger = (): Logger =>
  createLogger({ part: 'test', level: process.env['TEST_LOG_LEVEL'] ?? 'silent', pretty: false })

/** A fresh database on the run's server, gone at the end. */
export async function testDatabase(): Promise<{ adminUrl: string } & AsyncDisposable> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const server = inject('adminUrl')
  const asAdmin = async (sql: string): Promise<void> => {
    const admin = new pg.Client({ connectionString: server })
    await admin.connect()
    try {
      await admin.query(sql)
    } finally {
      await admin.end()
    }
  }
  await asAdmin(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { adminUrl: url.href, [Symbol.asyncDispose]: () => asAdmin(`drop database ${name} with (force)`) }
}

export interface TestService extends AsyncDisposable {
  /** Under the service's own restricted role. */
  readonly db: Database
  /** As the database's owner, with the service's schema on the search path. */
  readonly admin: Query
  api<A extends Record<string, Operation>>(api: A): Client<A>
  /** A raw request to the internal app, signed as from another part. */
  inject(options: InjectOptions & { url: string }): Promise<LightMyRequestResponse>
  /** Through the real inbox, with the next seq of its key. */
  deliver<E extends EventDefinition>(
    event: E,
    data: EventData<E> & { uid: string },
    envelope?: Partial<Pick<EventEnvelope, 'seq' | 'id' | 'at'>>,
  ): Promise<void>
  /** Everything emitted so far, in order. */
  emitted(): Promise<EventEnvelope[]>
  readonly app: FastifyInstance
  readonly service: Service
}

/** One service on a database of its own; other parts are small Fastify apps given in `calls`. No bus: events are delivered by hand. */
export async function testService(
  make: (deps: { db: PostgresDatabase; logger: Logger; calls: ServiceCall }) => Service,
  options: { calls?: Partial<Record<ServiceName, (app: FastifyInstance) => void>> } = {},
): Promise<TestService> {
  const logger = testLogger()
  const database = await testDatabase()
  const apps = new Map<ServiceName, FastifyInstance>()
  for (const [part, routes] of Object.entries(options.calls ?? {})) {
    const app = internalApp({ part: 'test', logger, internalSecret: SECRET })
    routes(app)
    apps.set(part as ServiceName, app)
  }
  const calls = injectCalls(apps, SECRET)
  // the schema is known only from the service, which needs its database to be made: the pool follows the migration
  let pool: PostgresDatabase | undefined
  const db = new Proxy({} as PostgresDatabase, {
    get: (_target, name) => {
      if (!pool) throw new Error('createX must not use the database before it runs')
      return Reflect.get(pool, name) as unknown
    },
  })
  const service = make({ db, logger, calls })
  const { schema } = service
  await migrate(database.adminUrl, { ...service, withEvents: true }, PASSWORD, logger)
  pool = postgresDatabase({ url: roleUrl(database.adminUrl, schema, PASSWORD), schema, logger, poolSize: 10 })
  const app = internalApp({ part: 'test', logger, internalSecret: SECRET })
  await service.routes(app)
  await app.ready()
  apps.set(service.name, app)

  const admin = new pg.Pool({ ...connectionOptions(database.adminUrl, schema), max: 2, types: numberTypes })
  admin.on('error', () => {})
  const inbox = createInbox({ part: service.name, db, reactions: service.reactions, logger })
  const seqs = new Map<string, number>()
  return {
    db,
    app,
    service,
    admin: {
      query: async <R>(sql: string, params: readonly unknown[] = []) => {
        const { rows, rowCount } = await admin.query(sql, [...params])
        return { rows: rows as R[], rowCount: rowCount ?? 0 }
      },
    },
    api: (api) => client(calls, service.name, api),
    inject: (request) =>
      app.inject({
        ...request,
        headers: { ...request.headers, ...signCall(SECRET, request.method ?? 'GET', request.url) },
      }),
    deliver: async (event, data, given = {}) => {
      const place = `${event.topic}/${data.uid}`
      const seq = given.seq ?? (seqs.get(place) ?? 0) + 1
      seqs.set(place, Math.max(seq, seqs.get(place) ?? 0))
      await inbox.take([messageOf(event, data, { id: newId(), at: Date.now(), ...given, seq })])
    },
    emitted: () => readOutbox(admin),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...apps.values()].map((one) => one.close()))
      await service.close?.()
      await db.close()
      await admin.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

export function messageOf<E extends EventDefinition>(
  event: E,
  data: EventData<E> & { uid: string },
  { id, seq, at }: Pick<EventEnvelope, 'id' | 'seq' | 'at'>,
): BusMessage {
  const { topic, type, version } = event
  const envelope = { id, type, version, topic, key: data.uid, seq, at, correlationId: newId(), data }
  return { topic, key: data.uid, value: JSON.stringify(envelope) }
}

async function readOutbox(admin: pg.Pool): Promise<EventEnvelope[]> {
  const { rows } = await admin.query(
    `select event_id as id, type, version, topic, key, seq, at, correlation_id as "correlationId", data
     from outbox order by id`,
  )
  return rows as EventEnvelope[]
}

export interface TestPorts extends AsyncDisposable {
  readonly adminUrl: string
  readonly busUrl: string
  readonly kvUrl: string
  readonly bus: EventBus
  readonly kv: KeyValue
}

/** The embedded bus and key-value store on a database of their own. */
export async function testPorts(): Promise<TestPorts> {
  const logger = testLogger()
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  await migrate(
    adminUrl,
    { schema: BUS_SCHEMA, migrations: BUS_MIGRATIONS, withEvents: false },
    PASSWORD,
    logger,
  )
  await migrate(
    adminUrl,
    { schema: KV_SCHEMA, migrations: KV_MIGRATIONS, withEvents: false },
    PASSWORD,
    logger,
  )
  const busUrl = roleUrl(adminUrl, BUS_SCHEMA, PASSWORD)
  const bus = postgresBus({ url: busUrl, logger })
  const kvUrl = roleUrl(adminUrl, KV_SCHEMA, PASSWORD)
  const kv = postgresKeyValue({ url: kvUrl, logger })
  return {
    adminUrl,
    busUrl,
    kvUrl,
    bus,
    kv,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([bus.close(), kv.close()])
      await drop()
    },
  }
}
