import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { context, currentTraceId, type Logger } from '@prelude/platform'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { GatewayConfig } from '../../config.ts'
import { callerAddress, networkOf } from '../caller-address.ts'
import { keyedHash } from '../keyed-hash.ts'

/** A request of the public API: its pattern, never its address. */
export interface Answered {
  readonly method: string
  readonly route: string | null
  readonly status: number
  /** Of the problem that it was answered with. */
  readonly code: string | null
}

interface Deps {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly measures: { request(answered: Answered & { seconds: number }): void }
  /** `ms`: to the first byte of the answer. */
  readonly recent: { note(answered: Answered & { ms: number; requestId: string }): void }
}

const FORBIDDEN = 403
const PSEUDONYM_LENGTH = 12

/** One sent by the client is used when it is harmless in logs. */
export function requestId(request: IncomingMessage | { headers: IncomingMessage['headers'] }): string {
  const sent = request.headers['x-request-id']
  return typeof sent === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(sent) ? sent : randomUUID()
}

/**
 * The request id: in every answer, in calls to other services, and in events. One log line per request, with its pattern
 * instead of its address, which may hold a secret (the callback's `code`).
 */
export function registerRequestContext(
  app: FastifyInstance,
  { config, logger, measures, recent }: Deps,
): void {
  const hash = keyedHash(config, 'request log')
  /** Lines of one person or network can be distinguished from others without naming either. */
  const pseudonym = (text: string): string => hash(text).slice(0, PSEUDONYM_LENGTH)
  const firstByte = new WeakMap<FastifyRequest, number>()
  const begun = new WeakMap<FastifyRequest, { traceId?: string; network: string }>()
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    // a connection that was lost by the end has no address
    const network = pseudonym(networkOf(callerAddress(request, config.trustedProxyHops), 3))
    begun.set(request, { ...currentTraceId(), network })
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
      person: request.caller && pseudonym(request.caller.uid),
      ...begun.get(request),
    }
    logger.info(line, 'request')
    if (line.status === FORBIDDEN) logger.warn({ ...line, code: request.problemCode }, 'access refused')
    if (line.route === '/healthz') return done() // asked by probes, not by people
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
