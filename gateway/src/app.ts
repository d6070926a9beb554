import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import { Problem } from '@prelude/contracts'
import { AppError, compileLate, registerLingeringClose, traceRequests } from '@prelude/platform'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { Type } from 'typebox'
import { Settings } from 'typebox/system'
import { documentOptions } from './document/document.ts'
import { startFeed } from './live/feed.ts'
import type { RouteDeps } from './route-deps.ts'
import { registerAccess } from './plugins/access.ts'
import { registerBodies } from './plugins/bodies.ts'
import { registerClosing } from './plugins/closing.ts'
import { registerCrossSite } from './plugins/cross-site.ts'
import {
  answerClientError,
  type ClientErrorAnswers,
  PARSER_LIMIT_BYTES,
  registerErrors,
} from './plugins/errors.ts'
import { registerLimits } from './plugins/limits.ts'
import { registerRequestContext, requestId } from './plugins/request-context.ts'
import { registerStalled, STALLED_AFTER_MS } from './plugins/stalled.ts'
import { registerSecurityHeaders, securityHeaders } from './plugins/security-headers.ts'
import {
  collectPaths,
  createWebPage,
  registerCompression,
  registerUnknown,
  registerWeb,
} from './plugins/web.ts'
import { registerRoute } from './public-route.ts'
import { registerSharePage } from './share-page/share-page.ts'
import { allRoutes } from './routes/all.ts'
import { docs, sendDocsStyle } from './routes/docs.ts'
import { sendSecurityContact } from './routes/security-contact.ts'
import { live } from './routes/live.ts'
import { watchOps } from './routes/operator-ops.ts'

const HEADERS_WITHIN_MS = 15_000

/**
 * The public API. The hooks below run in this order, which is the order in which a request is refused: cross-site, access,
 * rate limits, body; then the route's own checks.
 */
export async function createPublicApp(deps: RouteDeps): Promise<FastifyInstance> {
  const { config } = deps
  // a value of our bodies fits one variant of a union only, and sorting the variants took longer than all else about a body
  Settings.Set({ unionPrioritySort: false })
  const headers = securityHeaders(config)
  const app = createServer(deps, { headers, methodsOf: (url) => methodsOf(url) })
  const methodsOf = collectPaths(app)
  const webPage = createWebPage(config)

  traceRequests(app, 'gateway', { isPublic: true })
  registerRequestContext(app, deps)
  registerSecurityHeaders(app, headers)
  registerErrors(app)
  registerLingeringClose(app)
  registerStalled(app)
  registerCrossSite(app, config.publicUrl)
  registerUnknown(app, methodsOf, webPage)
  await app.register(cookie)
  registerAccess(app, deps)
  registerLimits(app, deps)
  registerBodies(app, deps.clock)
  await registerWeb(app, config, webPage)
  app.get('/docs.css', { schema: { hide: true } }, sendDocsStyle)
  app.get('/.well-known/security.txt', { schema: { hide: true } }, sendSecurityContact(deps))
  await registerCompression(app)
  registerSharePage(app, deps)
  await app.register(swagger, documentOptions(config))

  app.get('/healthz', { schema: health }, async () => {
    await deps.assertMigrated().catch((cause: unknown) => {
      throw new AppError('unavailable', { cause })
    })
    return { status: 'ok' }
  })
  const streams = [live(deps), watchOps(deps)]
  for (const route of [...allRoutes(deps), ...streams.map(({ route }) => route), ...docs(app, config)])
    registerRoute(app, deps, route)
  runFeed(app, deps, () => streams.forEach(({ endAll }) => endAll()))
  registerClosing(app)
  app.addHook('onClose', async () => deps.drawings.close())
  return app
}

/** Which servers are down does not count: without any of them the landing page is still served. */
const health = {
  operationId: 'getHealthz',
  tags: ['About'],
  summary: 'The process is alive, on a schema that has had every migration of its version',
  response: {
    200: { description: 'OK', ...Type.Object({ status: Type.Literal('ok') }) },
    503: {
      description: 'The schema is older, or was not read yet',
      content: { 'application/problem+json': { schema: Problem } },
    },
  },
}

function createServer({ logger, config }: RouteDeps, answers: ClientErrorAnswers): FastifyInstance {
  const { headersWithinMs = HEADERS_WITHIN_MS, stalledAfterMs = STALLED_AFTER_MS } = config
  return Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request),
    connectionTimeout: stalledAfterMs,
    // no limit for whole requests (`requestTimeout`): an upload may take long
    http: {
      maxHeaderSize: PARSER_LIMIT_BYTES,
      requireHostHeader: false, // judged with the other headers, since Node's own refusal has none of ours
      headersTimeout: headersWithinMs,
      connectionsCheckingInterval: headersWithinMs / 3,
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, answers),
    routerOptions: { maxParamLength: PARSER_LIMIT_BYTES },
    rewriteUrl: (request) => normalPath(originForm(request.url ?? '/')),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // requests that arrive while it stops are answered like all others
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    schemaController: { compilersFactory: compileLate },
  }) as unknown as FastifyInstance
}

/** A target may name scheme and host too (RFC 9112, 3.2.2): hooks see the path that is routed, as in any other request. */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')

/**
 * A character that needs no escape is the same with one (RFC 3986, 6.2.2.2): hooks see the path that is routed. A path that
 * cannot be decoded is taken literally: unknown like any other, not an error of its own.
 */
function normalPath(url: string): string {
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return [path.replace(/%(2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi, decodeURIComponent), ...query].join(
      '?',
    )
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}

/** The feed runs while the app does; open streams end first, or the server would never close. */
function runFeed(app: FastifyInstance, deps: RouteDeps, endStreams: () => void): void {
  let feed: ReturnType<typeof startFeed> | undefined
  app.addHook('onReady', async () => {
    feed = startFeed(deps)
  })
  app.addHook('preClose', async () => {
    endStreams()
    await feed?.stop()
  })
}
