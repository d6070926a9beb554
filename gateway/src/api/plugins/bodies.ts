import type { IncomingMessage } from 'node:http'
import { isStorable } from '@prelude/contracts'
import { AppError, type Clock, hasBody } from '@prelude/platform'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { idempotencyKey } from './idempotency.ts'

const MAX_BODY_BYTES = 1024 * 1024
/** For a whole body: a slower client holds a connection and memory. Streamed uploads have no such limit. */
const BODY_WITHIN_MS = 15_000

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a body that was read whole. */
    rawBody?: Buffer
  }
}

/** JSON bodies, read once access is granted. */
export function registerBodies(app: FastifyInstance, clock: Clock): void {
  // nothing is parsed by content type: each route declares its body
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))

  app.addHook('preValidation', async (request) => {
    const route = request.routeOptions.config.publicRoute
    if (!route) return
    if (!route.anyQuery) assertQueryOnce(request)
    if (route.idempotent) idempotencyKey(request)
    if (route.body === undefined || route.body === 'stream') return
    request.body =
      route.bodyOptional && isWithoutBody(request) ? {} : await readJson(request, clock, route.maxBodyBytes)
  })
  app.addHook('preHandler', async (request) => {
    const route = request.routeOptions.config.publicRoute
    if (route?.body === undefined || route.body === 'stream') return
    const properties = (route.body as { properties?: object }).properties ?? {}
    assertText(request.body as Record<string, unknown>, Object.keys(properties))
  })
}

/** Neither a body nor the type of one. */
export const isWithoutBody = (request: FastifyRequest): boolean =>
  request.headers['content-type'] === undefined && !hasBody(request)

/** Errors: malformed_json, invalid_request, unsupported_media_type, body_too_large, request_timeout. */
export async function readJson(
  request: FastifyRequest,
  clock: Clock,
  limitBytes?: number,
): Promise<Record<string, unknown>> {
  const { headers } = request
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json' && (hasBody(request) || type !== undefined))
    throw new AppError('unsupported_media_type')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new AppError('unsupported_media_type')
  request.rawBody = await readBody(request.raw, clock, limitBytes)
  return parseJson(request.rawBody)
}

/** All bytes, or body_too_large as soon as there are more than the limit. Errors: body_too_large, request_timeout, invalid_request. */
export function readBody(
  stream: IncomingMessage,
  clock: Clock,
  limitBytes = MAX_BODY_BYTES,
): Promise<Buffer> {
  if (Number(stream.headers['content-length'] ?? 0) > limitBytes)
    return Promise.reject(new AppError('body_too_large'))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const over = new AbortController()
    const settle = (end: () => void): void => {
      over.abort('read') // without a reason, Node makes an error with its stack for each request
      stream.off('data', take).off('end', finish).off('error', abort).off('close', abort)
      end()
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size > limitBytes) settle(() => reject(new AppError('body_too_large')))
    }
    const finish = (): void => settle(() => resolve(Buffer.concat(chunks)))
    const abort = (): void => settle(() => reject(new AppError('invalid_request')))
    const expire = (): void => {
      if (!over.signal.aborted) settle(() => reject(new AppError('request_timeout')))
    }
    void clock.wait(BODY_WITHIN_MS, over.signal).then(expire)
    stream.on('data', take).on('end', finish).on('error', abort).on('close', abort)
  })
}

/** A byte-order mark is skipped, the last of duplicate keys counts. Errors: malformed_json, invalid_request. */
function parseJson(bytes: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new AppError('malformed_json')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('invalid_request', { errors: [{ path: '', message: 'must be object' }] })
  // JSON.parse makes `__proto__` an own property; no body has one
  Reflect.deleteProperty(value, '__proto__')
  return value as Record<string, unknown>
}

/** Text that the database cannot hold. Errors: invalid_text. */
function assertText(values: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) if (!isAllStorable(values[name])) throw new AppError('invalid_text')
}

/** All text in a value. By a list of what is left, not by recursion: a body of 1 MiB can be 500,000 levels deep. */
function isAllStorable(value: unknown): boolean {
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string' && !isStorable(one)) return false
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) left.push(inner)
  }
  return true
}

function assertQueryOnce(request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>
  const twice = Object.keys(query).find((name) => Array.isArray(query[name]))
  if (twice !== undefined)
    throw new AppError('invalid_request', {
      errors: [{ path: `querystring.${twice}`, message: 'must be given once' }],
    })
  assertText(query, Object.keys(query))
}
