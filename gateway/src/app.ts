import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import { traceRequests } from '@prelude/platform'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { Type } from 'typebox'
import { documentOptions } from './document/document.ts'
import { startFeed } from './live/feed.ts'
import type { Parts } from './parts.ts'
import { registerAccess } from './plugins/access.ts'
import { registerBodies } from './plugins/bodies.ts'
import { registerClosing } from './plugins/closing.ts'
import { registerCrossSite } from './plugins/cross-site.ts'
import { answerClientError, PARSER_LIMIT_BYTES, registerErrors } from './plugins/errors.ts'
import { registerLimits } from './plugins/limits.ts'
import { registerRequestContext, requestId } from './plugins/request-context.ts'
import { registerSecurityHeaders } from './plugins/security-headers.ts'
import {
  collectPaths,
  createWebPage,
  registerCompression,
  registerUnknown,
  registerWeb,
} from './plugins/web.ts'
import { registerRoute } from './public-route.ts'
import { allRoutes } from './routes/all.ts'
import { docs, sendDocsStyle } from './routes/docs.ts'
import { live } from './routes/live.ts'
import { watchOps } from './routes/operator-ops.ts'

/**
 * The only public door. The hooks below run in this order, which is the order in which a request is refused:
 * cross-site, who calls, how often, what the body is; the routes say the rest.
 */
export async function createPublicApp(parts: Parts): Promise<FastifyInstance> {
  const { config } = parts
  const app = createServer(parts, (url) => methodsOf(url))
  const methodsOf = collectPaths(app)
  const webPage = createWebPage(config)

  traceRequests(app, 'gateway')
  registerRequestContext(app, parts)
  registerSecurityHeaders(app, config)
  registerErrors(app)
  registerUnknown(app, methodsOf, webPage)
  registerCrossSite(app, config.publicUrl)
  await app.register(cookie)
  registerAccess(app, parts)
  registerLimits(app, parts)
  registerBodies(app)
  await registerCompression(app)
  await app.register(swagger, documentOptions(config))

  app.get('/healthz', { schema: health }, async () => ({ status: 'ok' }))
  const streams = [live(parts), watchOps(parts)]
  for (const route of [...allRoutes(parts), ...streams.map(({ route }) => route), ...docs(app, config)])
    registerRoute(app, parts, route)
  app.get('/docs.css', { schema: { hide: true } }, sendDocsStyle)
  await registerWeb(app, config, webPage)
  runFeed(app, parts, () => streams.forEach(({ endAll }) => endAll()))
  registerClosing(app)
  return app
}

const health = {
  operationId: 'getHealthz',
  tags: ['About'],
  summary: 'The process is alive',
  response: { 200: { description: 'OK', ...Type.Object({ status: Type.Literal('ok') }) } },
}

function createServer({ logger }: Parts, methodsOf: (url: string) => string[]): FastifyInstance {
  return Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request),
    http: { maxHeaderSize: PARSER_LIMIT_BYTES },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, methodsOf),
    routerOptions: { maxParamLength: PARSER_LIMIT_BYTES },
    // a path that cannot be decoded is a path of that very text: unknown like any other, not an error of its own
    rewriteUrl: (request) => decodable(request.url ?? '/'),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what still comes while it stops is answered like everything else
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  }) as unknown as FastifyInstance
}

function decodable(url: string): string {
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}

/** The feed runs while the app does; open streams end first, or the server would never close. */
function runFeed(app: FastifyInstance, parts: Parts, endStreams: () => void): void {
  let feed: ReturnType<typeof startFeed> | undefined
  app.addHook('onReady', async () => {
    feed = startFeed(parts)
  })
  app.addHook('preClose', async () => {
    endStreams()
    await feed?.stop()
  })
}
