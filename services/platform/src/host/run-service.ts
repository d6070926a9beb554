import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { EVENTS, topicOf } from '@prelude/contracts'
import { type PostgresDatabase, schemaCheck } from '../database/index.ts'
import {
  createConsumer,
  type EventBus,
  removeOldEvents,
  replayJob,
  schemaOf,
  type Subscription,
} from '../events/index.ts'
import { internalApp } from '../http/index.ts'
import type { Identity } from '../identity.ts'
import type { Logger } from '../observability/index.ts'
import { drainConnections } from './drain.ts'
import { type Dependency, createHealthChecks } from './health-checks.ts'
import { registerHealth } from './health.ts'
import { startJob } from './jobs.ts'
import { createMetrics } from './metrics.ts'
import { checkInvariants } from './ops/check-invariants.ts'
import { createInstances } from './ops/instances.ts'
import { jobRounds } from './ops/job-rounds.ts'
import { registerOps } from './ops/routes.ts'
import type { Service } from './service.ts'

export interface Running {
  readonly app: FastifyInstance
  /** Base address of the internal port: health pages, and operations for other services. */
  readonly address: string
  /** Reports not ready, and goes on serving until load balancers have noticed. */
  leave(): void
  /** Takes no new work, finishes the current work, closes. Within 20 s. */
  stop(): Promise<void>
}

export interface HostOptions {
  readonly service: Service
  readonly db: PostgresDatabase
  /** The service's own database address, for connections that hold a lock or listen. */
  readonly databaseUrl: string
  readonly bus: EventBus
  readonly logger: Logger
  /** Its keys, and the public keys of the services that call it. */
  readonly identity: Identity
  /** PEM files' contents for the internal port; without them it serves HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  readonly host?: string
  readonly port?: number
  /** More dependencies for /readyz, beside database and bus. */
  readonly dependencies?: readonly Dependency[]
}

/** Runs one service: its internal HTTP app, the publisher and the consumer of events, its jobs and health pages. */
export async function runService(options: HostOptions): Promise<Running> {
  const { service, db, bus, logger, databaseUrl } = options
  const { name, subscribers, invariants = [] } = service
  const emitted = EVENTS.filter(({ topic }) => topic === topicOf(name)).map(({ type }) => type)
  const metrics = createMetrics(name, service.measures, emitted)
  const app = internalApp({ identity: options.identity, logger, tls: options.tls })
  metrics.observeRequests(app)
  await service.routes(app)

  let leads = false
  const publisher = bus.publish({
    topic: topicOf(name),
    db,
    databaseUrl,
    logger,
    onForwarded: metrics.countForwarded,
    onLead: (does) => {
      leads = does
      metrics.setLeads(does)
    },
  })
  db.onEmit((events) => {
    publisher.wake()
    metrics.countEmitted(events.map(({ type }) => type))
    for (const { type, data } of events) service.measures?.emitted?.(type, data)
  })
  const consumer = createConsumer({
    service: name,
    db,
    subscribers,
    logger,
    onOutcome: metrics.observeEvent,
    onForged: metrics.countForged,
  })
  const assertMigrated = schemaCheck(db, schemaOf(service))
  // on an older schema a handler would fail for good: its events wait for the migration instead
  const receive: typeof consumer.receive = async (batch, attempting) => {
    await assertMigrated()
    await consumer.receive(batch, attempting)
  }
  const topics = [...new Set(subscribers.map(({ event }) => event.topic))]
  const subscription: Subscription | null =
    topics.length > 0 ? await bus.subscribe({ group: name, topics, from: consumer.position, receive }) : null
  const health = createHealthChecks([
    { name: 'database', needed: true, ping: async () => void (await db.query('select 1')) },
    { name: 'schema', needed: true, ping: assertMigrated },
    { name: 'bus', needed: false, ping: () => bus.ping() },
    ...(options.dependencies ?? []),
  ])
  let leaving = false
  let id = ''
  const rounds = jobRounds(metrics)
  const instances = createInstances({
    db,
    health,
    subscription,
    leads: () => leads,
    failingJobs: rounds.failing,
    notes: () => service.notes?.(),
    id: () => id,
  })
  registerOps(app, { db, publisher, instances, subscription, topics, gauges: metrics.ownGauges })
  registerHealth(app, {
    subscription,
    health,
    isLeaving: () => leaving,
    metrics: () => metrics.text({ db, publisher, subscription, topics, health: health.lately }),
  })
  await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 })
  const { port } = app.server.address() as AddressInfo
  id = `${hostname()}:${port}`

  const checking = { url: databaseUrl, schema: name, invariants, breaches: metrics.breaches, logger }
  const jobs = [
    ...(service.jobs ?? []),
    replayJob(db, consumer, logger),
    removeOldEvents(db, name),
    instances.job,
    ...(invariants.length > 0 ? [checkInvariants(checking)] : []),
  ].map((job) => startJob(job, logger, rounds.onRound))

  return {
    app,
    address: `${options.tls ? 'https' : 'http'}://${options.host ?? '127.0.0.1'}:${port}`,
    leave: () => {
      leaving = true
      drainConnections(app.server)
    },
    stop: async () => {
      const consuming = (async () => {
        consumer.abort()
        await subscription?.stop()
        await consumer.close()
      })()
      await Promise.all([app.close(), consuming, ...jobs.map((job) => job.stop())])
      await publisher.stop()
      await service.close?.()
      await instances.leave()
      await db.close()
    },
  }
}
