import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type Topic, TOPICS } from '@prelude/contracts'
import { countStuck, type Outcome, type Publisher, type Subscription } from '../events/index.ts'
import type { PostgresDatabase } from '../database/index.ts'
import {
  counter,
  droppedLines,
  DURATION_BUCKETS,
  gauge,
  histogram,
  type Measures,
} from '../observability/index.ts'
import type { Checked } from './health-checks.ts'

export interface Metrics {
  observeRequests(app: FastifyInstance): void
  observeEvent(type: string, outcome: Outcome, seconds: number): void
  observeJob(job: string, outcome: 'ok' | 'failed', seconds: number): void
  /** Events whose transaction has committed. */
  countEmitted(types: readonly string[]): void
  /** Events that the broker acknowledged; whether this instance is the one that forwards. */
  countForwarded(events: number): void
  setLeads(leads: boolean): void
  countForged(topic: Topic): void
  readonly breaches: Gauge
  /** The service's own gauges as they are now, by name and labels. */
  ownGauges(): Promise<Record<string, number>>
  /** Reads the gauges and renders everything as Prometheus text. */
  text(sources: Sources): Promise<{ contentType: string; body: string }>
}

/** Where gauges are read. */
export interface Sources {
  readonly db: PostgresDatabase
  readonly publisher: Publisher
  readonly subscription: Subscription | null
  readonly topics: readonly Topic[]
  readonly health: () => Promise<readonly Checked[]>
}

/** The metrics every service has, and those of its service; `emits`: types of events. No label grows with users. */
export function createMetrics(
  service: string,
  measures: Measures = { metrics: [] },
  emits: readonly string[] = [],
): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  // ms; ten times the default, since each service of a process would wake it a hundred times a second to see how late it is
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  const ours = families(emits)
  const { requests, events, jobs, jobSuccess, emitted, forwarded, leads, errors } = ours
  for (const metric of [...Object.values(ours), ...measures.metrics]) registry.registerMetric(metric)

  /** A gauge that could not be read has no value, rather than an old one. */
  const orNothing = async (gauges: readonly Gauge[], read: () => Promise<void>): Promise<void> => {
    try {
      await read()
    } catch {
      errors.inc()
      for (const one of gauges) await clear(one)
    }
  }
  const own = measures.metrics.filter((metric) => metric instanceof Gauge)
  const read = async ({ db, publisher, subscription, topics, health }: Sources): Promise<void> => {
    const { total, idle, waiting } = poolOf(db)
    ours.connections.set({ state: 'used' }, total - idle)
    ours.connections.set({ state: 'idle' }, idle)
    ours.poolSize.set(db.pool.options.max)
    ours.poolWaiting.set(waiting)
    await Promise.all([
      orNothing([ours.backlog, ours.backlogAge], async () => {
        const backlog = await publisher.backlog()
        if (!backlog) return
        ours.backlog.set(backlog.events)
        ours.backlogAge.set(backlog.ageSeconds)
      }),
      orNothing([ours.parked, ours.dead], async () => {
        const { parkedKeys, deadLetters } = await countStuck(db)
        for (const topic of new Set([...topics, ...Object.keys(deadLetters)])) {
          ours.parked.set({ topic }, parkedKeys[topic] ?? 0)
          ours.dead.set({ topic }, deadLetters[topic] ?? 0)
        }
      }),
      orNothing([ours.lag], async () => {
        if (!subscription) return
        ours.attempt.set(subscription.lastAttemptAt() / 1000)
        await Promise.all(topics.map(async (topic) => ours.lag.set({ topic }, await subscription.lag(topic))))
      }),
      orNothing([ours.up], async () => {
        for (const { name, state } of await health())
          ours.up.set({ dependency: name }, state === 'ok' ? 1 : 0)
      }),
      measures.read && orNothing(own, measures.read),
    ])
  }

  return {
    observeRequests: (app) => {
      app.addHook('onResponse', (request, reply, done) => {
        const route = request.routeOptions.url ?? 'unknown'
        requests.observe(
          { method: request.method, route, status: reply.statusCode },
          reply.elapsedTime / 1000,
        )
        done()
      })
    },
    observeEvent: (type, outcome, seconds) => events.observe({ type, outcome }, seconds),
    observeJob: (job, outcome, seconds) => {
      jobs.observe({ job, outcome }, seconds)
      if (outcome === 'ok') jobSuccess.set({ job }, Date.now() / 1000)
    },
    countEmitted: (types) => {
      for (const type of types) emitted.inc({ type })
    },
    countForwarded: (count) => forwarded.inc(count),
    countForged: (topic) => ours.forged.inc({ topic }),
    breaches: ours.breaches,
    setLeads: (does) => leads.set(does ? 1 : 0),
    ownGauges: async () => {
      if (measures.read) await orNothing(own, measures.read)
      const read = await Promise.all([...own, ours.breaches].map((one) => one.get()))
      return Object.fromEntries(
        read.flatMap(({ name, values }) =>
          values.map(({ labels, value }) => [seriesOf(name, labels), value]),
        ),
      )
    },
    text: async (sources) => {
      await read(sources)
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}

const seriesOf = (name: string, labels: Partial<Record<string, string | number>>): string => {
  const inside = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return inside.length === 0 ? name : `${name}{${inside.join(',')}}`
}

async function clear(one: Gauge): Promise<void> {
  one.reset()
  // without labels it would now be 0
  if ((await one.get()).values.length > 0) one.remove()
}

const poolOf = ({ pool }: PostgresDatabase) => ({
  total: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount,
})

const families = (emits: readonly string[]) => ({
  requests: histogram({
    name: 'prelude_http_request_duration_seconds',
    help: 'Duration of HTTP requests at the internal port.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
  }),
  events: histogram({
    name: 'prelude_event_handling_duration_seconds',
    help: 'Duration of handling one event, by outcome (handled, parked).',
    labelNames: ['type', 'outcome'],
    buckets: DURATION_BUCKETS,
  }),
  jobs: histogram({
    name: 'prelude_job_duration_seconds',
    help: 'Duration of one round of a job, by outcome (ok, failed).',
    labelNames: ['job', 'outcome'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
  }),
  jobSuccess: gauge({
    name: 'prelude_job_last_success_timestamp_seconds',
    help: 'When a round of a job last ended well.',
    labelNames: ['job'],
  }),
  emitted: counter(
    {
      name: 'prelude_events_emitted_total',
      help: 'Events appended to the event log.',
      labelNames: ['type'],
    },
    emits.map((type) => ({ type })),
  ),
  forwarded: counter({
    name: 'prelude_events_forwarded_total',
    help: 'Events that the broker took from this instance.',
  }),
  forged: counter(
    {
      name: 'prelude_events_forged_total',
      help: 'Messages in a topic that the service that owns it did not sign.',
      labelNames: ['topic'],
    },
    TOPICS.map((topic) => ({ topic })),
  ),
  leads: gauge({
    name: 'prelude_forwarder_leader',
    help: '1 in the one instance of a service that forwards its events to the broker.',
  }),
  backlog: gauge({ name: 'prelude_event_backlog', help: 'Events not yet forwarded to the broker.' }),
  backlogAge: gauge({
    name: 'prelude_event_backlog_age_seconds',
    help: 'Age of the oldest event not yet forwarded to the broker.',
  }),
  parked: gauge({
    name: 'prelude_parked_keys',
    help: 'Keys parked behind a dead letter.',
    labelNames: ['topic'],
  }),
  dead: gauge({
    name: 'prelude_dead_letters',
    help: 'Events waiting in dead_letter.',
    labelNames: ['topic'],
  }),
  lag: gauge({
    name: 'prelude_consumer_lag',
    help: 'Events not yet handled by this service.',
    labelNames: ['topic'],
  }),
  attempt: gauge({
    name: 'prelude_consumer_last_attempt_timestamp_seconds',
    help: 'When the consumer last tried, to read events or to handle them.',
  }),
  breaches: gauge({
    name: 'prelude_invariant_breaches',
    help: 'Breaches of the invariants of this service, as last checked.',
    labelNames: ['invariant'],
  }),
  up: gauge({
    name: 'prelude_dependency_up',
    help: '1 when a server or provider that this service uses answers.',
    labelNames: ['dependency'],
  }),
  connections: gauge({
    name: 'prelude_db_pool_connections',
    help: 'Database connections of this instance, by state (used, idle).',
    labelNames: ['state'],
  }),
  poolSize: gauge({ name: 'prelude_db_pool_size', help: 'Database connections that it may have.' }),
  poolWaiting: gauge({
    name: 'prelude_db_pool_waiting',
    help: 'Statements and transactions that wait for a database connection.',
  }),
  errors: counter({
    name: 'prelude_metrics_read_errors_total',
    help: 'Times that gauges could not be read.',
  }),
  droppedLines: counter({
    name: 'prelude_log_lines_dropped_total',
    help: 'Lines of the log that nobody read in time.',
    collect() {
      this.reset()
      this.inc(droppedLines())
    },
  }),
})
