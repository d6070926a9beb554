import type { FastifyInstance } from 'fastify'
import { DURATION_BUCKETS, histogram, type Measures } from '../observability/index.ts'

/** The requests that an app answers, by route. */
export function requestMeasures(app: FastifyInstance): Measures {
  const requests = histogram({
    name: 'prelude_http_request_duration_seconds',
    help: 'Duration of HTTP requests at the internal port.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
  return { metrics: [requests] }
}
