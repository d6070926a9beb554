import type { FastifyInstance } from 'fastify'
import { LONG_STATEMENT_TIMEOUT_MS, type Subscription } from '../events/index.ts'
import type { HealthChecks } from './health-checks.ts'

/** Longer than the longest statement: every answer of the database counts as an attempt. */
const SILENT_FOR_MS = LONG_STATEMENT_TIMEOUT_MS + 30_000

/**
 * `/healthz` fails only when the consumer loop has made no attempt for 90 s; `/readyz` says whether this service can
 * answer its own requests and is not about to stop, and names what is degraded; `/metrics` is Prometheus text.
 */
export function registerHealth(
  app: FastifyInstance,
  sources: {
    subscription: Subscription | null
    health: HealthChecks
    /** It has received SIGTERM. */
    isDraining: () => boolean
    metrics: () => Promise<{ contentType: string; body: string }>
  },
): void {
  app.get('/healthz', async (_request, reply) => {
    const { subscription } = sources
    const alive = !subscription || subscription.sinceAttemptMs() < SILENT_FOR_MS
    return reply.code(alive ? 200 : 503).send({ status: alive ? 'ok' : 'stuck' })
  })
  app.get('/readyz', async (_request, reply) => {
    const checked = await sources.health.now()
    const ready = !sources.isDraining() && checked.every(({ state }) => state !== 'down')
    const states = Object.fromEntries(checked.map(({ name, state }) => [name, state]))
    return reply.code(ready ? 200 : 503).send({ parts: states })
  })
  app.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await sources.metrics()
    return reply.header('content-type', contentType).send(body)
  })
}
