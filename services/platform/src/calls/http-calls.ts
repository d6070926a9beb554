import { Agent, request as httpRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { Unavailable } from '../errors.ts'
import type { CallReply, CallRequest, PartName, ServiceCall } from '../ports.ts'
import { callHeaders, textHeaders } from './headers.ts'

const DEFAULT_TIMEOUT_MS = 4_000

/** Calls over HTTP to parts in other processes; `addresses` name each part's internal port. */
export function httpCalls(addresses: Partial<Record<PartName, string>>, internalSecret: string): ServiceCall {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const call = (part: PartName, request: CallRequest): Promise<CallReply> =>
    new Promise<CallReply>((resolve, reject) => {
      const base = addresses[part]
      if (base === undefined) {
        reject(new Unavailable(part, 'its address is not configured'))
        return
      }
      const outgoing = httpRequest(new URL(request.path, base), {
        agent,
        method: request.method,
        headers: { ...ownHeaders(request), ...callHeaders(internalSecret, request) },
        ...(request.signal && { signal: request.signal }),
      })
      const timer = setTimeout(
        () => outgoing.destroy(new Error('no answer in time')),
        request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
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
        reject(new Unavailable(part, error))
      })
      if (request.body === undefined || typeof request.body === 'string') outgoing.end(request.body)
      else {
        request.body.on('error', (error) => outgoing.destroy(error))
        request.body.pipe(outgoing)
      }
    })
  return {
    call,
    ask: async (part, request) => {
      const { status, body } = await call(part, request)
      const late = setTimeout(
        () => body.destroy(new Error('no answer in time')),
        request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      )
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

/** A length that came from elsewhere without its body would be waited for. */
function ownHeaders({ headers = {}, body }: CallRequest): Record<string, string> {
  if (body !== undefined) return headers
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers
  return rest
}
