import { Agent, request as httpRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../errors.ts'
import type { ServiceName } from '@prelude/contracts'
import type { CallReply, CallRequest, ServiceCall } from './port.ts'
import { callHeaders, textHeaders } from './headers.ts'
import { requestOf } from './question.ts'

const DEFAULT_TIMEOUT_MS = 4_000
/** A part that restarts is back within moments; the pause between two tries doubles up to the longest. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 400
/** Shorter than a part goes on answering after it was told to stop: no idle connection of ours is closed by it. */
const IDLE_MS = 2_000

/**
 * Calls over HTTP to parts in other processes; `addresses` name each part's internal port. What certainly reached nobody
 * is tried again within the time of a call, and what breaks off without an answer too where doing it twice is harmless.
 */
export function httpCalls(
  addresses: Partial<Record<ServiceName, string>>,
  internalSecret: string,
): ServiceCall {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: IDLE_MS })
  // a stream can be sent once, so never over a connection that may be about to close
  const agentOfStreams = new Agent()

  const send = (part: ServiceName, request: CallRequest, deadline: number): Promise<CallReply> =>
    new Promise<CallReply>((resolve, reject) => {
      const { body } = request
      const streams = body !== undefined && typeof body !== 'string'
      const outgoing = httpRequest(new URL(request.path, addresses[part]), {
        agent: streams ? agentOfStreams : agent,
        method: request.method,
        headers: { ...ownHeaders(request), ...callHeaders(internalSecret, request) },
        ...(request.signal && { signal: request.signal }),
      })
      const timer = setTimeout(
        () => outgoing.destroy(new Error('no answer in time')),
        deadline - performance.now(),
      )
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
      if (!streams) return void outgoing.end(body)
      body.on('error', (error) => outgoing.destroy(error))
      outgoing.once('socket', (socket) => socket.once('connect', () => body.pipe(outgoing)))
    })

  const call = async (part: ServiceName, request: CallRequest): Promise<CallReply> => {
    if (addresses[part] === undefined) throw new Unavailable(part, 'its address is not configured')
    const began = performance.now()
    const deadline = began + (request.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await send(part, request, deadline)
      } catch (error) {
        const isLate = performance.now() + pauseMs > began + DEFAULT_TIMEOUT_MS
        if (isLate || request.signal?.aborted || !mayRepeat(request, error as NodeJS.ErrnoException))
          throw new Unavailable(part, error)
        await delay(pauseMs)
      }
    }
  }
  return {
    call,
    ask: async (part, question) => {
      const { status, body } = await call(part, requestOf(question))
      const late = setTimeout(() => body.destroy(new Error('no answer in time')), DEFAULT_TIMEOUT_MS)
      try {
        return { status, text: await readText(body) }
      } catch (error) {
        throw new Unavailable(part, error)
      } finally {
        clearTimeout(late)
      }
    },
  }
}

const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])
const BROKEN_OFF = new Set(['ECONNRESET', 'EPIPE'])
/** Operations are written so that these may come twice: what they make has its id from the caller. */
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

function mayRepeat({ method, body }: CallRequest, { code = '' }: NodeJS.ErrnoException): boolean {
  if (NOBODY_THERE.has(code)) return true
  return BROKEN_OFF.has(code) && REPEATABLE.has(method) && (body === undefined || typeof body === 'string')
}

/** A length that came from elsewhere without its body would be waited for. */
function ownHeaders({ headers = {}, body }: CallRequest): Record<string, string> {
  if (body !== undefined) return headers
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers
  return rest
}
