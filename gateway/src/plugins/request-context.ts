import { randomUUID } from 'node:crypto'
import { context } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Parts } from '../parts.ts'

/** One sent by the client is used when it is harmless in logs. */
export function requestId(request: IncomingMessage | { headers: IncomingMessage['headers'] }): string {
  const sent = request.headers['x-request-id']
  return typeof sent === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(sent) ? sent : randomUUID()
}

/**
 * Every answer names its request, and what the request causes in other parts carries the same id. One line in the log
 * tells of it: its pattern instead of its address, which may hold a secret (the callback's `code`).
 */
export function registerRequestContext(app: FastifyInstance, { logger, measures }: Parts): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    context.run({ correlationId: request.id, requestId: request.id }, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const line = {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.raw.statusCode,
      ms: Math.round(reply.elapsedTime),
      requestId: request.id,
    }
    logger.info(line, 'request')
    const { method, route, status } = line
    measures.request({ method, route, status, code: request.problemCode, seconds: reply.elapsedTime / 1000 })
    done()
  })
}
