import type { FastifyInstance } from 'fastify'
import { hostname } from 'node:os'
import type { AddressInfo } from 'node:net'
import { allEvents, type EventDefinition } from '@prelude/contracts'
import { internalApp } from '../http/internal-app.ts'
import { registerHealth } from './health.ts'
import { createLookout } from './health-checks.ts'
import { sendAway } from './drain.ts'
import { startJob } from './jobs.ts'
import type { Logger } from '../observability/logger.ts'
import { createMetrics } from './metrics.ts'
import type { EventBus, Subscription } from '../events/port.ts'
import { checkInvariants } from './ops/check-invariants.ts'
import { createInstances } from './ops/instances.ts'
import { jobRounds } from './ops/job-rounds.ts'
import { registerOps } from './ops/routes.ts'
import type { PostgresDatabase } from '../database/database.ts'
import { replayJob } from '../events/dead-letters.ts'
import { createInbox } from '../events/consumer.ts'
import { startRelay } from '../events/forwarder.ts'
import type { Service } from './service.ts'

export interface Running {
  readonly app: FastifyInstance
  /** Base address of the internal port: health pages, and operations for other parts. */
  readonly address: string
  /** Says that it is not ready, and serves on until whoever shares the work out has seen it. */
  leave(): void
  /** Takes no new work, finishes what is in hand, closes. Within 20 s. */
  stop(): Promise<void>
}

export interface HostOptions {
  readonly service: Service
  readonly db: PostgresDatabase
  /** The service's own database address, for the relay's connection. */
  readonly databaseUrl: string
  readonly bus: EventBus
  readonly logger: Logger
  readonly internalSecret: string
  readonly host?: string
  readonly port?: number
  /** More parts for /readyz: 'down' ones that this part needs for its own answers, 'degraded' ones that it does not. */
  readonly dependencies?: readonly Dependency[]
}

export interface Dependency {
  readonly name: string
  readonly ping: () => Promise<void>
  readonly needed: boolean
}

const emittedBy = ({ schema }: Service): string[] =>
  Object.values(allEvents).flatMap(({ topic, type }) => (topic === `prelude.${schema}` ? [type] : []))

/** Runs one service: its internal HTTP app, the relay of its outbox, the consumer of its events, its jobs and health pages. */
export async function runService(options: HostOptions): Promise<Running> {
  const { service, db, bus, logger } = options
  const metrics = createMetrics(service.name, service.measures, emittedBy(service))
  const app = internalApp({ part: service.name, logger, internalSecret: options.internalSecret })
  metrics.observeRequests(app)
  await service.routes(app)

  let leads = false
  const relay = startRelay({
    url: options.databaseUrl,
    schema: service.schema,
    db,
    bus,
    logger,
    waits: service.requestsComeFirst,
    onSent: metrics.countSent,
    onLead: (does) => {
      leads = does
      metrics.setLeads(does)
    },
  })
  db.onEmit((events) => {
    relay.wake(events)
    metrics.countEmitted(events.map(({ type }) => type))
    for (const { type, data } of events) service.measures?.emitted?.(type, data)
  })
  const known = new Set(service.reactions.map(({ event }) => event.type))
  const inbox = createInbox({
    part: service.name,
    db,
    reactions: service.reactions,
    patienceMs: service.patienceMs,
    logger,
    // what is not for this part, or no event at all, may call itself anything
    onOutcome: (type, outcome, seconds) =>
      metrics.observeEvent(known.has(type) ? type : 'other', outcome, seconds),
  })
  const topics = [...new Set(service.reactions.map(({ event }: { event: EventDefinition }) => event.topic))]
  const subscription: Subscription | null =
    topics.length > 0 ? await bus.subscribe({ group: service.name, topics, handle: inbox.take }) : null
  const dependencies: Dependency[] = [
    { name: 'database', needed: true, ping: async () => void (await db.query('select 1')) },
    { name: 'bus', needed: false, ping: () => bus.ping() },
    ...(options.dependencies ?? []),
  ]
  const lookout = createLookout(dependencies)
  let leaving = false
  let id = ''
  const rounds = jobRounds(metrics)
  const instances = createInstances({
    db,
    lookout,
    subscription,
    leads: () => leads,
    failingJobs: rounds.failing,
    notes: () => service.notes?.(),
    id: () => id,
  })
  registerOps(app, { db, instances, subscription, topics, gauges: metrics.ownGauges })
  registerHealth(app, {
    subscription,
    lookout,
    isLeaving: () => leaving,
    metrics: () => metrics.text({ db, subscription, topics, look: lookout.lately }),
  })
  await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 })
  const { port } = app.server.address() as AddressInfo
  id = `${hostname()}:${port}`

  const { invariants = [], schema } = service
  const checking = checkInvariants({
    url: options.databaseUrl,
    schema,
    invariants,
    breaches: metrics.breaches,
    logger,
  })
  const jobs = [
    ...(service.jobs ?? []),
    replayJob(db, inbox, logger),
    instances.job,
    ...(invariants.length > 0 ? [checking] : []),
  ].map((job) => startJob(job, logger, rounds.onRound))

  return {
    app,
    address: `http://${options.host ?? '127.0.0.1'}:${port}`,
    leave: () => {
      leaving = true
      sendAway(app.server)
    },
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
      inbox.stop()
      await subscription?.stop()
      await app.close()
      await relay.stop()
      await service.close?.()
      await instances.leave()
      await db.close()
    },
  }
}
