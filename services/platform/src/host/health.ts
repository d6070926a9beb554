import type { FastifyInstance } from 'fastify'
import type { Subscription } from '../events/port.ts'
import type { Lookout } from './health-checks.ts'

const SILENT_FOR_MS = 60_000

/**
 * `/healthz` fails only when the consumer loop has made no attempt for a minute; `/readyz` says whether this part can
 * answer its own requests and is not about to stop, and names what is degraded; `/metrics` is Prometheus text.
 */
export function registerHealth(
  app: FastifyInstance,
  parts: {
    subscription: Subscription | null
    lookout: Lookout
    /** It was told to stop. */
    isLeaving: () => boolean
    metrics: () => Promise<{ contentType: string; body: string }>
  },
): void {
  app.get('/healthz', async (_request, reply) => {
    const { subscription } = parts
    const alive = !subscription || Date.now() - subscription.lastAttemptAt() < SILENT_FOR_MS
    return reply.code(alive ? 200 : 503).send({ status: alive ? 'ok' : 'stuck' })
  })
  app.get('/readyz', async (_request, reply) => {
    const looked = await parts.lookout.now()
    const ready = !parts.isLeaving() && looked.every(({ state }) => state !== 'down')
    const states = Object.fromEntries(looked.map(({ name, state }) => [name, state]))
    return reply.code(ready ? 200 : 503).send({ parts: states })
  })
  app.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await parts.metrics()
    return reply.header('content-type', contentType).send(body)
  })
}
