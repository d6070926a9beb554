import { randomUUID } from 'node:crypto'
import { context, currentTraceId } from '@prelude/platform'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { RouteDeps } from '../route-deps.ts'

/** One sent by the client is used when it is harmless in logs. */
export function requestId(request: IncomingMessage | { headers: IncomingMessage['headers'] }): string {
  const sent = request.headers['x-request-id']
  return typeof sent === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(sent) ? sent : randomUUID()
}

/**
 * The request id: in every answer, in calls to other services, and in events. One log line per request, with its pattern
 * instead of its address, which may hold a secret (the callback's `code`).
 */
export function registerRequestContext(app: FastifyInstance, { logger, measures, recent }: RouteDeps): void {
  const firstByte = new WeakMap<FastifyRequest, number>()
  const traces = new WeakMap<FastifyRequest, ReturnType<typeof currentTraceId>>()
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    traces.set(request, currentTraceId())
    context.run({ correlationId: request.id, requestId: request.id }, done)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    firstByte.set(request, reply.elapsedTime)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const line = {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.raw.statusCode,
      ms: Math.round(reply.elapsedTime),
      requestId: request.id,
      correlationId: request.id,
      ...traces.get(request),
    }
    logger.info(line, 'request')
    const { method, route, status, requestId: id } = line
    const code = request.problemCode
    measures.request({ method, route, status, code, seconds: reply.elapsedTime / 1000 })
    // how long an upload takes is up to its sender
    const isUpload = request.routeOptions.config.publicRoute?.body === 'stream'
    const ms = isUpload ? 0 : (firstByte.get(request) ?? 0)
    recent.note({ method, route, status, code, ms, requestId: id })
    done()
  })
}
