import type { FastifyInstance } from 'fastify'
import type { Dependency } from '../host.ts'
import type { Subscription } from '../ports.ts'

const SILENT_FOR_MS = 60_000
const PING_TIMEOUT_MS = 2_000

type State = 'ok' | 'degraded' | 'down'

/**
 * `/healthz` fails only when the consumer loop has made no attempt for a minute; `/readyz` says whether this part can
 * answer its own requests, and names what is degraded; `/metrics` is Prometheus text.
 */
export function registerHealth(
  app: FastifyInstance,
  parts: {
    subscription: Subscription | null
    dependencies: readonly Dependency[]
    metrics: () => Promise<{ contentType: string; body: string }>
  },
): void {
  app.get('/healthz', async (_request, reply) => {
    const { subscription } = parts
    const alive = !subscription || Date.now() - subscription.lastAttemptAt() < SILENT_FOR_MS
    return reply.code(alive ? 200 : 503).send({ status: alive ? 'ok' : 'stuck' })
  })
  app.get('/readyz', async (_request, reply) => {
    const states = await Promise.all(
      parts.dependencies.map(async (one) => [one.name, await stateOf(one)] as const),
    )
    const ready = states.every(([, state]) => state !== 'down')
    return reply.code(ready ? 200 : 503).send({ parts: Object.fromEntries(states) })
  })
  app.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await parts.metrics()
    return reply.header('content-type', contentType).send(body)
  })
}

async function stateOf({ ping, needed }: Dependency): Promise<State> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), PING_TIMEOUT_MS)
  })
  try {
    await Promise.race([ping(), late])
    return 'ok'
  } catch {
    return needed ? 'down' : 'degraded'
  } finally {
    clearTimeout(timer)
  }
}
