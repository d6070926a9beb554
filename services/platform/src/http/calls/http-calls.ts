import { Agent, type AgentOptions, request as httpRequest } from 'node:http'
import { Agent as TlsAgent, request as httpsRequest } from 'node:https'
import { finished } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { Unavailable } from '../../errors.ts'
import type { Identity } from '../../identity.ts'
import type { ServiceName } from '@prelude/contracts'
import { CALL_TIMEOUT_MS, type CallReply, type CallRequest, type ServiceCall } from './port.ts'
import { invokeWith } from './client.ts'
import { callHeaders, textHeaders } from './headers.ts'

/** A service that restarts is back within seconds; the pause between two tries doubles up to the longest. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 400
/** Shorter than the time that a service still answers after SIGTERM, so it closes no idle connection of ours. */
const IDLE_MS = 2_000

/** Internal ports by service. */
export type Addresses = Partial<Record<ServiceName, string>>

export interface HttpCalls extends ServiceCall {
  /** Calls that wait for a connection. */
  waiting(): number
}

/**
 * Calls over HTTP or HTTPS to services in other processes. `readAddresses`: any instance of a service, for reads, where writes
 * need one certain instance (resumable uploads). A request that certainly arrived nowhere is tried again within the time of a
 * call; so is one that breaks off without a response, where doing it twice is harmless.
 */
export function httpCalls(
  addresses: Addresses,
  identity: Identity,
  clock: Clock,
  readAddresses: Addresses = {},
): HttpCalls {
  const agents = {
    'http:': { request: httpRequest, ...agentsOf((options) => new Agent(options)) },
    'https:': { request: httpsRequest, ...agentsOf((options) => new TlsAgent(options)) },
  }

  const send = (service: ServiceName, request: CallRequest, deadline: number): Promise<CallReply> =>
    new Promise<CallReply>((resolve, reject) => {
      const { body } = request
      const bodyIsStream = body !== undefined && typeof body !== 'string'
      // whether anybody answers is known soon, however long the answer takes; and a stream is read only if so
      const asksFirst = bodyIsStream || (request.timeoutMs ?? 0) > CALL_TIMEOUT_MS
      const address = (request.reads ? readAddresses[service] : undefined) ?? addresses[service]
      const url = new URL(request.path, address)
      const via = agents[url.protocol === 'https:' ? 'https:' : 'http:']
      const outgoing = via.request(url, {
        agent: bodyIsStream ? via.once : request.answerIsStream ? via.unlimited : via.kept,
        method: request.method,
        headers: {
          ...callHeaders(identity, service, request, clock.now()),
          ...(asksFirst && { expect: '100-continue' }),
        },
      })
      // Node reports the end of a request that waits for a socket only once it gets one
      const endAfter = (ms: number) =>
        setTimeout(() => {
          const late = new Error('no answer in time')
          reject(late)
          outgoing.destroy(late)
        }, ms)
      const left = deadline - performance.now()
      let timer = endAfter(asksFirst ? Math.min(left, CALL_TIMEOUT_MS) : left)
      outgoing.on('response', (response) => {
        clearTimeout(timer)
        resolve({
          status: response.statusCode ?? 500,
          headers: textHeaders(response.headers),
          body: response,
        })
      })
      outgoing.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      if (bodyIsStream)
        finished(body, { writable: false }, (error) => void (error && outgoing.destroy(error)))
      const sendBody = (): unknown => (bodyIsStream ? body.pipe(outgoing) : outgoing.end(body))
      if (!asksFirst) return void sendBody()
      outgoing.once('continue', () => {
        clearTimeout(timer)
        timer = endAfter(deadline - performance.now())
        sendBody()
      })
    })

  const call = async (service: ServiceName, request: CallRequest): Promise<CallReply> => {
    if (addresses[service] === undefined) throw new Unavailable(service, 'its address is not configured')
    const began = performance.now()
    const deadline = began + (request.timeoutMs ?? CALL_TIMEOUT_MS)
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await send(service, request, deadline)
      } catch (error) {
        const isLate = performance.now() + pauseMs > began + CALL_TIMEOUT_MS
        if (isLate || !mayRepeat(request, error as NodeJS.ErrnoException))
          throw new Unavailable(service, error)
        await delay(pauseMs)
      }
    }
  }
  const waiting = (): number =>
    Object.values(agents)
      .flatMap(({ kept: { requests } }) => Object.values(requests).flat())
      .filter((request) => request?.destroyed === false).length
  return { call, invoke: invokeWith(call), waiting }
}

/** A stream can be sent once, so never over a connection that may be about to close. */
const agentsOf = (make: (options?: AgentOptions) => Agent) => ({
  kept: make({ keepAlive: true, timeout: IDLE_MS, maxSockets: 256 }),
  unlimited: make({ keepAlive: true, timeout: IDLE_MS }),
  once: make(),
})

const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])
const CONNECTION_LOST = new Set(['ECONNRESET', 'EPIPE'])
/** Operations are written so that these may come twice: what they make has its id from the caller. */
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

function mayRepeat({ method, body }: CallRequest, { code = '' }: NodeJS.ErrnoException): boolean {
  if (NOT_CONNECTED.has(code)) return true
  return (
    CONNECTION_LOST.has(code) && REPEATABLE.has(method) && (body === undefined || typeof body === 'string')
  )
}
