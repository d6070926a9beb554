import { Readable } from 'node:stream'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import pg from 'pg'
import {
  type EventData,
  type EventDefinition,
  type EventEnvelope,
  type Operation,
  type ServiceName,
  type Topic,
  topicOf,
} from '@prelude/contracts'
import {
  connectionOptions,
  type Database,
  type PostgresDatabase,
  type Query,
  queryOn,
  type SchemaSpec,
} from '../../src/database/index.ts'
import {
  type Batch,
  createConsumer,
  type EventBus,
  eventSchemaOf,
  LOG_READER_SCHEMA,
  logBus,
  schemaOf,
  serviceDatabase,
} from '../../src/events/index.ts'
import type { Service } from '../../src/host/index.ts'
import {
  type Client,
  client,
  inProcessCalls,
  internalApp,
  proveCall,
  type ServiceCall,
} from '../../src/http/index.ts'
import { identitiesFrom } from '../../src/identity.ts'
import { newId } from '../../src/ids.ts'
import { createLogger, type Logger } from '../../src/observability/index.ts'
import { assertLockedAggregates } from './aggregates.ts'
import { type TestClock, testClock } from './test-clock.ts'
import { WAIT_MS } from './eventually.ts'
import { migratedDatabase } from './test-database.ts'
import { migrate, roleUrl, grantLogReading } from '../../migrate/index.ts'

export { chooser } from './chooser.ts'
export { createConsumer }
export { logReader } from '../../src/events/log-reader.ts'
export { certificate, trustedCertificate } from './certificate.ts'
export { blockedConnections, holdOpen } from './locks.ts'
export { placedObject } from './placed-object.ts'
export { requestedSong } from './requested-song.ts'
export { type TestClock, testClock } from './test-clock.ts'
export { migratedDatabase, testDatabase } from './test-database.ts'
export { type CollectedSpan, traceCollector, type TraceCollector } from './trace-collector.ts'

const PASSWORD = 'test-role-password'

export const testLogger = (): Logger =>
  createLogger({ service: 'test', level: process.env['TEST_LOG_LEVEL'] ?? 'silent', pretty: false })

/** The identities of all test services. */
export const testIdentity = identitiesFrom('test-internal-secret')

export interface TestService extends AsyncDisposable {
  /** Under the service's own restricted role. */
  readonly db: Database
  /** As the database's owner, with the service's schema on the search path. */
  readonly admin: Query
  /** As the gateway. */
  readonly calls: ServiceCall
  api<A extends Record<string, Operation>>(api: A): Client<A>
  /** A raw request to the internal app, as the gateway. */
  inject(options: InjectOptions & { url: string }): Promise<LightMyRequestResponse>
  /** Through the real consumer, at the next position of its topic; deliveries of one topic come one after the other. */
  deliver<E extends EventDefinition>(
    event: E,
    data: EventData<E> & { uid: string },
    envelope?: Partial<Pick<EventEnvelope, 'position' | 'id' | 'at'>>,
  ): Promise<void>
  /** Everything emitted so far, in order. */
  emitted(): Promise<EventEnvelope[]>
  readonly app: FastifyInstance
  readonly service: Service
  /** The clock that the service was made with. */
  readonly clock: TestClock
}

/** One service on a database of its own, without a bus: the test delivers events. `calls`: the other services, small Fastify apps. */
export async function testService(
  make: (deps: { db: PostgresDatabase; logger: Logger; calls: ServiceCall; clock: TestClock }) => Service,
  options: { calls?: Partial<Record<ServiceName, (app: FastifyInstance) => void>> } = {},
): Promise<TestService> {
  const logger = testLogger()
  const clock = testClock()
  const apps = new Map<ServiceName, FastifyInstance>()
  for (const [called, routes] of Object.entries(options.calls ?? {})) {
    const app = internalApp({ identity: testIdentity(called as ServiceName), logger, clock })
    routes(app)
    await app.ready()
    apps.set(called as ServiceName, app)
  }
  // the service has its name and schema, and needs calls and a database to be created: they are opened later
  let own: ServiceCall | undefined
  let pool: PostgresDatabase | undefined
  const calls = later(() => own)
  const db = later(() => pool)
  const service = make({ db, logger, calls, clock })
  const { name } = service
  own = inProcessCalls(apps, testIdentity(name), clock)
  // what a test asks for may take as long as a busy machine needs; the service's own calls keep their limit
  const fromGateway = inProcessCalls(apps, testIdentity('gateway'), clock, WAIT_MS)
  const schema = schemaOf(service)
  const database = await migratedDatabase([schema], (adminUrl) => migrate(adminUrl, schema, PASSWORD, logger))
  const url = roleUrl(database.adminUrl, name, PASSWORD)
  pool = serviceDatabase({ url, service: name, clock, logger, poolSize: 10 })
  const app = internalApp({ identity: testIdentity(name), logger, clock })
  await service.routes(app)
  await app.ready()
  apps.set(name, app)

  const admin = new pg.Pool({ ...connectionOptions(database.adminUrl, name), max: 2 })
  admin.on('error', () => {})
  const asOwner = queryOn(admin)
  await assertLockedAggregates(asOwner)
  const consumer = createConsumer({ service: name, db, subscribers: service.subscribers, logger })
  const positions = new Map<string, number>()
  const delivering = new Map<string, Promise<unknown>>()
  return {
    db,
    app,
    service,
    clock,
    admin: asOwner,
    calls: fromGateway,
    api: (api) => client(fromGateway, name, api),
    inject: (request) =>
      app.inject({
        ...request,
        headers: {
          ...request.headers,
          ...proveCall(
            testIdentity('gateway'),
            name,
            { method: request.method ?? 'GET', path: request.url, ...bodyOf(request.payload) },
            clock.now(),
          ),
        },
      }),
    deliver: async (event, data, given = {}) => {
      const last = positions.get(event.topic) ?? 0
      const position = given.position ?? last + 1
      positions.set(event.topic, Math.max(position, last))
      const message = messageOf(event, data, { id: newId(), at: clock.now(), ...given, position })
      const before = delivering.get(event.topic) ?? Promise.resolve()
      const receive = () => consumer.receive(wholeLog(event.topic, [message]))
      const delivered = before.then(receive, receive)
      delivering.set(event.topic, delivered)
      await delivered
    },
    emitted: () => readLog(admin, name),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...apps.values()].map((one) => one.close()))
      await service.close?.()
      await db.close()
      await admin.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

const later = <T extends object>(open: () => T | undefined): T =>
  new Proxy({} as T, {
    get: (_target, name) => {
      const opened = open()
      if (!opened) throw new Error('createX must use neither the database nor other services before it runs')
      return Reflect.get(opened, name) as unknown
    },
  })

/** What a proof covers of an injected payload: the text that JSON becomes; bytes and forms count as streams. */
const bodyOf = (payload: unknown): { body?: string | Readable } => {
  if (payload === undefined) return {}
  const isJson = typeof payload === 'object' && Object.getPrototypeOf(payload) === Object.prototype
  return { body: isJson ? JSON.stringify(payload) : new Readable() }
}

/** A batch as it comes from a log that is read directly. */
export const wholeLog = (topic: Topic, messages: readonly EventEnvelope[]): Batch => ({
  topic,
  partition: 0,
  partitions: 1,
  messages,
  resumesAtCursor: true,
})

export function messageOf<E extends EventDefinition>(
  { topic, type, version, for: services }: E,
  data: EventData<E> & { uid: string },
  { id, position, at }: Pick<EventEnvelope, 'id' | 'position' | 'at'>,
): EventEnvelope {
  return {
    id,
    type,
    version,
    topic,
    for: services,
    key: data.uid,
    position,
    at,
    correlationId: newId(),
    data,
  }
}

async function readLog(admin: pg.Pool, service: ServiceName): Promise<EventEnvelope[]> {
  const { rows } = await admin.query(
    `select id, type, version, "for", $1::text as topic, key, position, at, correlation_id as "correlationId", data
     from event order by position`,
    [topicOf(service)],
  )
  return rows as EventEnvelope[]
}

export interface TestPorts extends AsyncDisposable {
  readonly adminUrl: string
  readonly busUrl: string
  /** The address of one of the schemas that were given. */
  urlOf(schema: string): string
  readonly bus: EventBus
  /** Of all of these. */
  readonly clock: TestClock
  /** As if the service that owns the event had emitted it. */
  emit<E extends EventDefinition>(event: E, data: EventData<E> & { uid: string }): Promise<void>
}

/** As `onFatal`: rejects what is under way, which fails the test. */
export const failTest = (error: Error): never => {
  throw error
}

/** The embedded bus on a database of its own, with the event logs of these services, and more schemas. */
export async function testPorts(
  services: readonly ServiceName[] = [],
  more: readonly SchemaSpec[] = [],
): Promise<TestPorts> {
  const logger = testLogger()
  const clock = testClock()
  const schemas = [...services.map(eventSchemaOf), ...more]
  const { adminUrl, [Symbol.asyncDispose]: drop } = await migratedDatabase(schemas, async (url) => {
    for (const schema of schemas) await migrate(url, schema, PASSWORD, logger)
    await grantLogReading(url, PASSWORD)
  })
  const busUrl = roleUrl(adminUrl, LOG_READER_SCHEMA, PASSWORD)
  const bus = logBus({ url: busUrl, logger, onFatal: failTest })
  const owners = new Map(
    services.map((service) => {
      const databaseUrl = roleUrl(adminUrl, service, PASSWORD)
      const db = serviceDatabase({ url: databaseUrl, service, clock, logger, poolSize: 2 })
      return [
        topicOf(service),
        { db, publisher: bus.publish({ topic: topicOf(service), db, databaseUrl, logger }) },
      ]
    }),
  )
  return {
    adminUrl,
    busUrl,
    urlOf: (schema) => roleUrl(adminUrl, schema, PASSWORD),
    bus,
    clock,
    emit: async (event, data) => {
      const owner = owners.get(event.topic)
      if (!owner) throw new Error(`${event.topic} has no log here`)
      await owner.db.transaction(async (tx) => tx.emit(event, data))
      owner.publisher.wake()
    },
    [Symbol.asyncDispose]: async () => {
      for (const { db, publisher } of owners.values()) {
        await publisher.stop()
        await db.close()
      }
      await bus.close()
      await drop()
    },
  }
}
