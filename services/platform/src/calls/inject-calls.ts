import type { FastifyInstance, InjectOptions } from 'fastify'
import { Unavailable } from '../errors.ts'
import type { CallReply, CallRequest, PartName, ServiceCall } from '../ports.ts'
import { callHeaders, textHeaders } from './headers.ts'

const DEFAULT_TIMEOUT_MS = 4_000

/** Calls between parts that live in one process: the same routes and schemas, no socket. `apps` fills up as parts start. */
export function injectCalls(apps: Map<PartName, FastifyInstance>, internalSecret: string): ServiceCall {
  const injected = (part: PartName, request: CallRequest): [FastifyInstance, InjectOptions] => {
    const app = apps.get(part)
    if (!app) throw new Unavailable(part, 'it is not running')
    const options = {
      method: request.method as 'GET',
      url: request.path,
      headers: { ...request.headers, ...callHeaders(internalSecret, request) },
      ...(request.body !== undefined && { payload: request.body }),
      ...(request.signal && { signal: request.signal }),
    }
    return [app, options]
  }
  return {
    ask: async (part, request) => {
      const [app, options] = injected(part, request)
      const response = await inTime(part, request, app.inject(options))
      return { status: response.statusCode, text: response.payload }
    },
    call: async (part: PartName, request: CallRequest): Promise<CallReply> => {
      const [app, options] = injected(part, request)
      const response = await inTime(part, request, app.inject({ ...options, payloadAsStream: true }))
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

async function inTime<T>(part: PartName, { timeoutMs }: CallRequest, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Unavailable(part, 'no answer in time')),
      timeoutMs ?? DEFAULT_TIMEOUT_MS,
    )
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
