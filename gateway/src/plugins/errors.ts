import type { Socket } from 'node:net'
import { AppError, asAppError, newId, problemOf, sendProblem } from '@prelude/platform'
import type { ConnectionError, FastifyInstance, FastifyRequest } from 'fastify'
import { refuseMethod } from './web.ts'

const MAX_ADDRESS_BYTES = 16 * 1024
const MAX_HEADER_BYTES = 16 * 1024
/** What Node's parser takes before it gives up: room for both limits above, so that each gets its own answer. */
export const PARSER_LIMIT_BYTES = 48 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem that this request was answered with. */
    problemCode: string | null
  }
}

/** The one place where errors of the public API become HTTP, and the limits on address and headers. */
export function registerErrors(app: FastifyInstance): void {
  app.decorateRequest('problemCode', null)
  app.setErrorHandler((error: Error, request, reply) => {
    const refusal = asAppError(error)
    if (!refusal || refusal.kind === 'internal') request.log.error({ err: error }, 'request failed')
    else if (refusal.kind === 'unavailable' || refusal.kind === 'upstream')
      request.log.warn({ code: refusal.code, err: refusal.cause ?? refusal }, 'request not answered')
    const named = namedFailure(error, request)
    request.problemCode = named.code
    // the rest of the body may never come
    if (named.kind === 'timeout') void reply.header('connection', 'close')
    void sendProblem(reply, request, named)
  })
  app.addHook('onRequest', async (request) => {
    if (Buffer.byteLength(request.raw.url ?? '') > MAX_ADDRESS_BYTES) throw new AppError('uri_too_long')
    const bytes = request.raw.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0)
    if (bytes > MAX_HEADER_BYTES) throw new AppError('headers_too_large')
  })
}

/** A route may name one sentence for all failures: `unavailable` and bugs become it, refusals stay what they are. */
function namedFailure(error: Error, request: FastifyRequest): AppError {
  const failure = request.routeOptions.config.publicRoute?.failure
  const refusal = asAppError(error)
  const failed = !refusal || refusal.kind === 'unavailable' || refusal.kind === 'internal'
  if (failed && failure !== undefined) return new AppError(failure, { retryAfterSeconds: 2, cause: error })
  return refusal ?? new AppError('internal_error', { cause: error })
}

/** What never became a request: broken HTTP, a method of no standard, or more than the parser takes. */
export function answerClientError(
  error: ConnectionError,
  socket: Socket,
  methodsOf: (url: string) => string[],
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const start = (error.rawPacket as unknown as Buffer | undefined)?.toString('latin1') ?? ''
  const { refusal, allow } = clientRefusal(error, start, methodsOf)
  const problem = problemOf(refusal, newId())
  const body = JSON.stringify(problem)
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      'content-type: application/problem+json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${problem.requestId}`,
      ...(allow === null ? [] : [`allow: ${allow}`]),
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

function clientRefusal(
  error: ConnectionError,
  start: string,
  methodsOf: (url: string) => string[],
): { refusal: AppError; allow: string | null } {
  const [, address] = /^[!#$%&'*+.^_`|~\w-]+ (\/\S*) HTTP\/1\.[01]\r\n/.exec(start) ?? []
  if (error.code === 'HPE_INVALID_METHOD' && address !== undefined) return refuseMethod(address, methodsOf)
  if (error.code !== 'HPE_HEADER_OVERFLOW') return { refusal: new AppError('invalid_request'), allow: null }
  const longAddress =
    /^[A-Z]{3,10} /.test(start) && start.length > MAX_ADDRESS_BYTES && !start.includes('\r\n')
  return { refusal: new AppError(longAddress ? 'uri_too_long' : 'headers_too_large'), allow: null }
}
