import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Query, Subscription } from './ports.ts'

export interface Metrics {
  observeRequests(app: FastifyInstance): void
  observeEvent(type: string, outcome: string, seconds: number): void
  /** Reads the queue gauges from the database and renders everything as Prometheus text. */
  text(db: Query, subscription: Subscription | null): Promise<{ contentType: string; body: string }>
}

/** The metrics every part has: requests, events, outbox, consumer lag, dead letters. No label grows with users. */
export function createMetrics(part: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ part })
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Histogram({
    name: 'prelude_http_request_duration_seconds',
    help: 'Duration of HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  const events = new Histogram({
    name: 'prelude_event_handling_duration_seconds',
    help: 'Duration of handling one event, by outcome.',
    labelNames: ['type', 'outcome'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
    registers,
  })
  const errors = new Counter({
    name: 'prelude_metrics_read_errors_total',
    help: 'Times that a gauge could not be read.',
    registers,
  })
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers })
  const depth = gauge('prelude_outbox_depth', 'Events not yet sent to the bus.')
  const age = gauge('prelude_outbox_age_seconds', 'Age of the oldest event not yet sent.')
  const blocked = gauge('prelude_outbox_blocked_keys', 'Keys whose next event the bus refused.')
  const parked = gauge('prelude_inbox_parked_keys', 'Keys parked behind a dead letter.')
  const dead = gauge('prelude_dead_letters', 'Events waiting in dead_letter.')
  const lag = gauge('prelude_consumer_lag', 'Events not yet handled by this part.')

  const read = async (db: Query, subscription: Subscription | null): Promise<void> => {
    const { rows } = await db.query<Record<'depth' | 'age' | 'blocked' | 'parked' | 'dead', number>>(
      `select (select count(*) from outbox_unsent) as depth,
              (select coalesce(extract(epoch from now()) - min(at) / 1000.0, 0) from outbox_unsent join outbox using (id)) as age,
              (select count(*) from outbox_blocked) as blocked,
              (select count(*) from inbox where parked) as parked,
              (select count(*) from dead_letter where resolved_at is null) as dead`,
    )
    const row = rows[0]
    if (!row) return
    depth.set(row.depth)
    age.set(Math.max(0, row.age))
    blocked.set(row.blocked)
    parked.set(row.parked)
    dead.set(row.dead)
    if (subscription) lag.set(await subscription.lag())
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
    text: async (db, subscription) => {
      await read(db, subscription).catch(() => errors.inc())
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}
