import { finished } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Unavailable } from '../../errors.ts'
import type { Identity } from '../../identity.ts'
import { within } from '../../within.ts'
import type { ServiceName } from '@prelude/contracts'
import type { CallReply, CallRequest, ServiceCall } from './port.ts'
import { callHeaders, textHeaders } from './headers.ts'

const DEFAULT_TIMEOUT_MS = 4_000

/** Calls between services in one process: injected into their apps, without a socket. `apps` fills up as services start. */
export function injectCalls(apps: Map<ServiceName, FastifyInstance>, identity: Identity): ServiceCall {
  return {
    call: async (service, request) => {
      const app = apps.get(service)
      if (!app) throw new Unavailable(service, 'it is not running')
      const { body, timeoutMs = DEFAULT_TIMEOUT_MS } = request
      const aborted = new AbortController()
      const abort = (error?: Error | null): void => void (error && aborted.abort(error))
      if (body !== undefined && typeof body !== 'string') finished(body, { writable: false }, abort)
      try {
        return await within(
          timeoutMs,
          inject(app, callHeaders(identity, service, request), request, aborted.signal),
        )
      } catch (error) {
        abort(error as Error)
        throw new Unavailable(service, error)
      }
    },
  }
}

async function inject(
  app: FastifyInstance,
  headers: Record<string, string>,
  request: CallRequest,
  signal: AbortSignal,
): Promise<CallReply> {
  const response = await app.inject({
    method: request.method as 'GET',
    url: request.path,
    headers,
    ...(request.body !== undefined && { payload: request.body }),
    payloadAsStream: true,
    signal,
  })
  const body = response.stream()
  // light-my-request goes on when the caller stops reading: the handler's own stream would stay open
  finished(body, () => response.raw.res.destroy())
  return { status: response.statusCode, headers: textHeaders(response.headers), body }
}
