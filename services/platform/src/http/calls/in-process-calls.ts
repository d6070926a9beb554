import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { addAbortSignal, finished, Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Operation, ServiceName } from '@prelude/contracts'
import type { Clock } from '../../clock.ts'
import { Unavailable } from '../../errors.ts'
import type { Identity } from '../../identity.ts'
import { newId } from '../../ids.ts'
import { context, currentContext, inSpan, recordStatus, serverSpan } from '../../observability/index.ts'
import { within } from '../../within.ts'
import { problemOf, refusalFor } from '../problems.ts'
import { assertMayCall } from '../route.ts'
import { errorOf, invokeWith } from './client.ts'
import { callHeaders, textHeaders } from './headers.ts'
import { CALL_TIMEOUT_MS, type CallReply, type CallRequest, type ServiceCall } from './port.ts'

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

/**
 * Calls between services in one process: an operation's handler runs directly, other requests are injected into the app without
 * a socket. `apps` fills up as services start. `timeoutMs`: of calls that give none.
 */
export function inProcessCalls(
  apps: Map<ServiceName, FastifyInstance>,
  identity: Identity,
  clock: Clock,
  timeoutMs = CALL_TIMEOUT_MS,
): ServiceCall {
  const call: ServiceCall['call'] = async (service, request) => {
    const app = apps.get(service)
    if (!app) throw new Unavailable(service, 'it is not running')
    const { body } = request
    const aborted = new AbortController()
    const abort = (error?: Error | null): void => void (error && aborted.abort(error))
    if (body !== undefined && typeof body !== 'string') finished(body, { writable: false }, abort)
    try {
      return await within(
        request.timeoutMs ?? timeoutMs,
        inject(app, callHeaders(identity, service, request, clock.now()), request, aborted.signal),
      )
    } catch (error) {
      abort(error as Error)
      throw new Unavailable(service, error)
    }
  }
  const request = invokeWith(call)
  const invoke: ServiceCall['invoke'] = async (service, operation, input) => {
    const app = apps.get(service)
    const run = app?.operations?.get(operation)
    if (!app || !run) return request(service, operation, input) // is refused as any other request
    const work = async (): Promise<unknown> => {
      assertMayCall(identity.service, operation.callers)
      return run(input)
    }
    const late = (): Error => new Unavailable(service, `no answer within ${timeoutMs} ms`)
    return within(timeoutMs, observed(app, service, operation, work), late)
  }
  return { call, invoke }
}

/** Does for an operation what the hooks and the error handler of its app do for a request. */
async function observed(
  app: FastifyInstance,
  service: ServiceName,
  { method, path }: Operation,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const ids = currentContext() ?? { correlationId: newId() }
  const end = app.requests.startTimer({ method, route: path })
  const [name, options] = serverSpan(service, method, path)
  const { value, error } = await inSpan(
    name,
    options,
    async (): Promise<{ value?: unknown; error?: Error }> => {
      let status = 200
      try {
        return { value: await context.run(ids, work) }
      } catch (thrown) {
        const id = ids.requestId ?? ids.correlationId
        const refusal = refusalFor(thrown as Error, app.log, id)
        status = refusal.status
        return { error: errorOf(service, status, problemOf(refusal, id)) }
      } finally {
        recordStatus(status)
        end({ status })
      }
    },
  )
  if (error) throw error
  return value
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
