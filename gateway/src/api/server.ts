import { compileLate, type Logger } from '@prelude/platform'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { GatewayConfig } from '../config.ts'
import { answerClientError, type ClientErrorAnswers, PARSER_LIMIT_BYTES } from './plugins/errors.ts'
import { requestId } from './plugins/request-context.ts'
import { STALLED_AFTER_MS } from './plugins/stalled.ts'

const HEADERS_WITHIN_MS = 15_000

export function createServer(
  { logger, config }: { logger: Logger; config: GatewayConfig },
  answers: ClientErrorAnswers,
): FastifyInstance {
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
