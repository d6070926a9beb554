import type { FastifyInstance } from 'fastify'
import { Unavailable } from '../errors.ts'
import type { CallReply, CallRequest, PartName, ServiceCall } from '../ports.ts'
import { callHeaders, textHeaders } from './headers.ts'

const DEFAULT_TIMEOUT_MS = 4_000

/** Calls between parts that live in one process: the same routes and schemas, no socket. `apps` fills up as parts start. */
export function injectCalls(apps: Map<PartName, FastifyInstance>, internalSecret: string): ServiceCall {
  return {
    call: async (part: PartName, request: CallRequest): Promise<CallReply> => {
      const app = apps.get(part)
      if (!app) throw new Unavailable(part, 'it is not running')
      const timeout = AbortSignal.timeout(request.timeoutMs ?? DEFAULT_TIMEOUT_MS)
      const response = await Promise.race([
        app.inject({
          method: request.method as 'GET',
          url: request.path,
          headers: { ...request.headers, ...callHeaders(internalSecret, request) },
          ...(request.body !== undefined && { payload: request.body }),
          ...(request.signal && { signal: request.signal }),
          payloadAsStream: true,
        }),
        rejectOn(timeout, part),
      ])
      const body = response.stream()
      // a caller who leaves must end the answer behind it too, as a closed socket would, or its files stay open
      body.once('close', () => response.raw.res.destroy())
      request.signal?.addEventListener('abort', () => body.destroy(), { once: true })
      return {
        status: response.statusCode,
        headers: textHeaders(response.headers),
        body,
      }
    },
  }
}

const rejectOn = (signal: AbortSignal, part: PartName): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Unavailable(part, 'no answer in time')), { once: true })
  })
