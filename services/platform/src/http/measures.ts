import type { FastifyInstance } from 'fastify'
import type { Histogram } from 'prom-client'
import { DURATION_BUCKETS, gauge, histogram, type Measures } from '../observability/index.ts'

/** The requests that an app answers, by route. */
export function countRequests(app: FastifyInstance): Histogram {
  const requests = histogram(
    'prelude_http_request_duration_seconds',
    'Duration of HTTP requests at the internal port, and of calls within the process.',
    DURATION_BUCKETS,
    ['method', 'route', 'status'],
  )
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
  return requests
}

/** Outgoing calls that wait for a connection: 256 to one service are in flight. */
export function waitingMeasures(count: () => number): Measures {
  const waiting = gauge(
    'prelude_calls_waiting',
    'Calls to other services that wait for a connection; 0 in one process.',
  )
  return { metrics: [waiting], read: async () => waiting.set(count()) }
}
