import type { OutgoingHttpHeaders } from 'node:http'
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

/** The one place where errors of the public API become HTTP, and the rules for address and headers. */
export function registerErrors(app: FastifyInstance): void {
  app.decorateRequest('problemCode', null)
  app.setErrorHandler((error: Error, request, reply) => {
    const refusal = asAppError(error)
    if (!refusal || refusal.kind === 'internal') request.log.error({ err: error }, 'request failed')
    else if (refusal.kind === 'unavailable' || refusal.kind === 'upstream')
      request.log.warn({ code: refusal.code, err: refusal.cause ?? refusal }, 'request not answered')
    const named = namedFailure(error, request)
    if (isLenient(request, named)) return void reply.code(204).send()
    request.problemCode = named.code
    // the rest of the body may never come
    if (named.kind === 'timeout') void reply.header('connection', 'close')
    void sendProblem(reply, request, named)
  })
  app.addHook('onRequest', async (request) => {
    if (Buffer.byteLength(request.raw.url ?? '') > MAX_ADDRESS_BYTES) throw new AppError('uri_too_long')
    const { rawHeaders, httpVersion } = request.raw
    const bytes = rawHeaders.reduce((sum, text) => sum + text.length + 2, 0)
    if (bytes > MAX_HEADER_BYTES) throw new AppError('headers_too_large')
    const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
    // RFC 9112, 3.2
    if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1'))
      throw new AppError('invalid_request')
  })
  // one that is unknown is ignored, as RFC 9110, 10.1.1 allows: Node's own refusal has none of our headers
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}

const isLenient = ({ headers, routeOptions }: FastifyRequest, { code }: AppError): boolean =>
  code === routeOptions.config.publicRoute?.lenient && headers.prefer === 'handling=lenient'

/** A route may name one sentence for all failures: `unavailable` and bugs become it, refusals stay what they are. */
function namedFailure(error: Error, request: FastifyRequest): AppError {
  const failure = request.routeOptions.config.publicRoute?.failure
  const refusal = asAppError(error)
  const failed = !refusal || refusal.kind === 'unavailable' || refusal.kind === 'internal'
  if (failed && failure !== undefined) return new AppError(failure, { retryAfterSeconds: 2, cause: error })
  return refusal ?? new AppError('internal_error', { cause: error })
}

export interface ClientErrorAnswers {
  /** Of every answer. */
  readonly headers: OutgoingHttpHeaders
  readonly methodsOf: (url: string) => string[]
}

/** What never became a request: broken HTTP, a method of no standard, more than the parser takes, or headers that came too late. */
export function answerClientError(
  error: ConnectionError,
  socket: Socket,
  { headers, methodsOf }: ClientErrorAnswers,
): void {
  // browsers open connections in advance: without a request there is nothing to answer
  const isUnused = isTimeout(error) && socket.bytesRead === 0
  if (error.code === 'ECONNRESET' || !socket.writable || isUnused) {
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
      ...Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`),
      'cache-control: no-store',
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
  if (isTimeout(error)) return { refusal: new AppError('request_timeout'), allow: null }
  if (error.code !== 'HPE_HEADER_OVERFLOW') return { refusal: new AppError('invalid_request'), allow: null }
  const longAddress =
    /^[A-Z]{3,10} /.test(start) && start.length > MAX_ADDRESS_BYTES && !start.includes('\r\n')
  return { refusal: new AppError(longAddress ? 'uri_too_long' : 'headers_too_large'), allow: null }
}

/** The headers did not arrive in time. */
const isTimeout = ({ code }: ConnectionError): boolean => code === 'ERR_HTTP_REQUEST_TIMEOUT'
