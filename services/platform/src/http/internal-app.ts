import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { handOverStreams } from './calls/in-process-calls.ts'
import { assertSignedBody, provenCaller, seenCalls } from './calls/proof.ts'
import { context, type Logger, traceRequests } from '../observability/index.ts'
import type { Clock } from '../clock.ts'
import { Unavailable } from '../errors.ts'
import type { Identity } from '../identity.ts'
import { newId } from '../ids.ts'
import { compileLate } from './compile-late.ts'
import { registerLingeringClose } from './lingering-close.ts'
import { countRequests } from './measures.ts'
import { registerProblems } from './problems.ts'
import { assertMayCall } from './route.ts'

/** A certificate and its private key, PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/**
 * The HTTP app of a service's internal port: its operations (for other services, which prove who they are) and its health pages.
 * Values of a query arrive as text and are converted by their schema; bodies are never coerced.
 */
export function internalApp(options: {
  identity: Identity
  logger: Logger
  clock: Clock
  /** Without one it serves HTTP. */
  tls?: Certificate | undefined
}): FastifyInstance {
  const { identity, clock } = options
  const app = Fastify({
    loggerInstance: options.logger as unknown as FastifyInstance['log'],
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    return503OnClosing: false, // requests that arrive while it closes are answered like all others
    bodyLimit: 8 * 1024 * 1024,
    routerOptions: { maxParamLength: 16 * 1024 }, // as long as Node takes a request's head
    ajv: { customOptions: { coerceTypes: true, removeAdditional: false } },
    schemaController: { compilersFactory: compileLate },
    ...(options.tls && { https: options.tls }),
  }) as unknown as FastifyInstance
  // during an update a caller may have another version: it tries again, and does not read that something is gone
  registerProblems(app, new Unavailable(identity.service, 'its version has no such operation'))
  registerLingeringClose(app)
  traceRequests(app, identity.service)
  acceptSignedJson(app)
  handOverStreams(app)
  app.decorate('requests', countRequests(app))
  const operations: NonNullable<typeof app.operations> = new Map()
  app.decorate('operations', operations)
  app.addHook('onClose', async () => operations.clear()) // later calls find it closed
  const seen = seenCalls()
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isHealthPage(request.url)) {
      const caller = provenCaller(identity, seen, request, clock.now())
      if (!request.is404) assertMayCall(caller, request.routeOptions.config.callers)
    }
    const correlationId = header(request.headers['x-correlation-id']) ?? newId()
    const requestId = header(request.headers['x-request-id'])
    context.run({ correlationId, ...(requestId !== undefined && { requestId }) }, done)
  })
  return app
}

/** JSON whose digest is the one in the proof of the call. */
function acceptSignedJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    assertSignedBody(request, body)
    void parse(request, body.toString(), done)
  })
}

const isHealthPage = (url: string): boolean => url === '/healthz' || url === '/readyz' || url === '/metrics'

const header = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
