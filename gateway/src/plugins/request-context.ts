import { randomUUID } from 'node:crypto'
import { context } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'

/** One sent by the client is used when it is harmless in logs. */
export function requestId(request: IncomingMessage | { headers: IncomingMessage['headers'] }): string {
  const sent = request.headers['x-request-id']
  return typeof sent === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(sent) ? sent : randomUUID()
}

/** Every answer names its request, and what the request causes in other parts carries the same id. */
export function registerRequestContext(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    context.run({ correlationId: request.id, requestId: request.id }, done)
  })
}
