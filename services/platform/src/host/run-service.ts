import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { EVENTS, topicOf } from '@prelude/contracts'
import { poolMeasures, type PostgresDatabase, schemaCheck } from '../database/index.ts'
import {
  backlogMeasures,
  consumerMeasures,
  createConsumer,
  type EventBus,
  eventMeasures,
  markUnsubscribed,
  parkedMeasures,
  removeOldEvents,
  replayJob,
  schemaOf,
  type Subscription,
} from '../events/index.ts'
import { type Certificate, internalApp, waitingMeasures } from '../http/index.ts'
import type { Clock } from '../clock.ts'
import type { Identity } from '../identity.ts'
import type { Logger } from '../observability/index.ts'
import { drainConnections } from './drain.ts'
import { clockDependency, type Dependency, createHealthChecks, dependencyMeasures } from './health-checks.ts'
import { registerHealth } from './health.ts'
import { startJob } from './jobs.ts'
import { createRegistry } from './registry.ts'
import { checkInvariants, invariantBreaches } from './ops/check-invariants.ts'
import { createInstances } from './ops/instances.ts'
import { jobRuns } from './ops/job-runs.ts'
import { registerOps } from './ops/routes.ts'
import type { Service } from './service.ts'

export interface Running {
  readonly app: FastifyInstance
  /** Base address of the internal port: health pages, and operations for other services. */
  readonly address: string
  /** Reports not ready, and goes on serving until load balancers have noticed. */
  drain(): void
  /**
   * Consumer and jobs finish their current work at once; operations are answered until `callers` has settled, then the
   * service closes. Within 20 s.
   */
  stop(callers?: Promise<unknown>): Promise<void>
}

interface HostOptions {
  readonly service: Service
  readonly db: PostgresDatabase
  /** The service's own database address, for connections that hold a lock or listen. */
  readonly databaseUrl: string
  readonly bus: EventBus
  readonly clock: Clock
  readonly logger: Logger
  /** Its keys, and the public keys of the services that call it. */
  readonly identity: Identity
  /** Of the internal port; without one it serves HTTP. */
  readonly tls?: Certificate | undefined
  readonly host?: string
  readonly port?: number
  /** More dependencies for /readyz, beside database and bus. */
  readonly dependencies?: readonly Dependency[]
  /** Its calls to other services that wait for a connection; in one process none does. */
  readonly waitingCalls?: () => number
}

/** Runs one service: its internal HTTP app, the publisher and the consumer of events, its jobs and health pages. */
export async function runService(options: HostOptions): Promise<Running> {
  const { service, db, bus, clock, logger, databaseUrl } = options
  const { name, subscribers, invariants = [], measures = { metrics: [] } } = service
  const emitted = EVENTS.filter(({ topic }) => topic === topicOf(name)).map(({ type }) => type)
  const counted = eventMeasures(emitted)
  const app = internalApp({ identity: options.identity, logger, clock, tls: options.tls })
  await service.routes(app)

  let leads = false
  const publisher = bus.publish({
    topic: topicOf(name),
    db,
    databaseUrl,
    logger,
    onForwarded: counted.countForwarded,
    onLead: (isLeader) => {
      leads = isLeader
      counted.setLeads(isLeader)
    },
  })
  db.onEmit((appended) => {
    publisher.wake(appended)
    const { events } = appended
    counted.countEmitted(events.map(({ type }) => type))
    for (const { type, data } of events) measures.emitted?.(type, data)
  })
  const consumer = createConsumer({
    service: name,
    db,
    subscribers,
    logger,
    onOutcome: counted.observe,
    onForged: counted.countForged,
  })
  const assertMigrated = schemaCheck(db, schemaOf(service))
  // on an older schema a handler would fail for good: its events wait for the migration instead
  const receive: typeof consumer.receive = async (batch, attempting) => {
    await assertMigrated()
    await consumer.receive(batch, attempting)
  }
  const topics = [...new Set(subscribers.map(({ event }) => event.topic))]
  const subscription: Subscription | null =
    topics.length > 0
      ? await bus.subscribe({ group: name, topics, from: consumer.position, receive, atEnd: consumer.atEnd })
      : null
  const dependencies: readonly Dependency[] = [
    { name: 'database', needed: true, ping: async () => void (await db.query('select 1')) },
    { name: 'schema', needed: true, ping: assertMigrated },
    clockDependency(db, clock, logger),
    { name: 'bus', needed: false, ping: () => bus.ping() },
    ...(options.dependencies ?? []),
  ]
  const health = createHealthChecks(dependencies, clock)
  let draining = false
  const runs = jobRuns(clock)
  const breaches = invariantBreaches()
  const metrics = createRegistry(name)
  metrics.add(
    counted,
    runs,
    { metrics: [app.requests, breaches] },
    poolMeasures(db),
    waitingMeasures(options.waitingCalls ?? (() => 0)),
    backlogMeasures(publisher, clock),
    parkedMeasures(db, topics, clock),
    ...consumerMeasures(subscription, topics, clock),
    dependencyMeasures(health),
    measures,
  )
  const instances = createInstances({
    db,
    clock,
    health,
    subscription,
    leads: () => leads,
    failingJobs: runs.failing,
    notes: () => service.notes?.(),
    // without a port of its own it is the only process here, and one that replaces it has the same name
    id: options.port === undefined ? hostname() : `${hostname()}:${options.port}`,
  })
  const gauges = () => metrics.gaugesOf(measures, { metrics: [breaches] })
  registerOps(app, { db, clock, publisher, instances, subscription, topics, gauges })
  registerHealth(app, {
    subscription,
    health,
    isDraining: () => draining,
    metrics: metrics.text,
  })
  await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 })
  const { port } = app.server.address() as AddressInfo

  const checking = { url: databaseUrl, schema: name, invariants, breaches, clock, logger }
  const jobs = [
    ...(service.jobs ?? []),
    replayJob({ db, consumer, clock, logger }),
    markUnsubscribed({ db, logger }, name, topics),
    removeOldEvents(db, name),
    instances.job,
    ...(invariants.length > 0 ? [checkInvariants(checking)] : []),
  ].map((job) => startJob(job, clock, logger, runs.onRun))

  return {
    app,
    address: `${options.tls ? 'https' : 'http'}://${options.host ?? '127.0.0.1'}:${port}`,
    drain: () => {
      draining = true
      drainConnections(app.server)
    },
    stop: async (callers) => {
      const consuming = (async () => {
        consumer.abort()
        await subscription?.stop()
        await consumer.close()
      })()
      const working = [consuming, ...jobs.map((job) => job.stop())]
      // last, since the port is what keeps another process from working under the name of this instance
      const closing = Promise.allSettled([callers, ...working]).then(() => app.close())
      await Promise.all([closing, ...working])
      await publisher.stop()
      await service.close?.()
      await instances.leave()
      await db.close()
    },
  }
}
