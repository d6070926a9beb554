import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { addAbortSignal, finished, Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../clock.ts'
import { Unavailable } from '../../errors.ts'
import type { Identity } from '../../identity.ts'
import { within } from '../../within.ts'
import type { ServiceName } from '@prelude/contracts'
import { CALL_TIMEOUT_MS, type CallReply, type CallRequest, type ServiceCall } from './port.ts'
import { callHeaders, textHeaders } from './headers.ts'

/** The remote address of the requests below; no socket has it. */
const IN_PROCESS = 'in-process'
/** Streams that answer such requests, by the response that they are the body of. */
const bodies = new WeakMap<ServerResponse, Readable>()

/**
 * For the apps that are called: a stream that answers a call in the process is given to the caller itself, since
 * light-my-request copies what is written to a response. The response stays open as long as the stream, and each ends the other.
 */
export function handOverStreams(app: FastifyInstance): void {
  app.addHook('onSend', ({ socket }, reply, payload, done) => {
    if (socket.remoteAddress !== IN_PROCESS || !(payload instanceof Readable)) return done(null, payload)
    const { raw } = reply
    if (raw.destroyed) return void payload.destroy() // the caller has left
    finished(payload, (error) => (error ? raw.destroy() : raw.end()))
    finished(raw, () => payload.destroy())
    bodies.set(raw, payload)
    raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  })
}

/** Calls between services in one process: injected into their apps, without a socket. `apps` fills up as services start. */
export function injectCalls(
  apps: Map<ServiceName, FastifyInstance>,
  identity: Identity,
  clock: Clock,
): ServiceCall {
  return {
    call: async (service, request) => {
      const app = apps.get(service)
      if (!app) throw new Unavailable(service, 'it is not running')
      const { body, timeoutMs = CALL_TIMEOUT_MS } = request
      const aborted = new AbortController()
      const abort = (error?: Error | null): void => void (error && aborted.abort(error))
      if (body !== undefined && typeof body !== 'string') finished(body, { writable: false }, abort)
      try {
        return await within(
          timeoutMs,
          inject(app, callHeaders(identity, service, request, clock.now()), request, aborted.signal),
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
    remoteAddress: IN_PROCESS,
    ...(request.body !== undefined && { payload: request.body }),
    payloadAsStream: true,
    signal,
  })
  const body = addAbortSignal(signal, bodies.get(response.raw.res) ?? response.stream())
  return { status: response.statusCode, headers: textHeaders(response.headers), body }
}
