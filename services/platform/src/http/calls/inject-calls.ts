import { Readable } from 'node:stream'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse as InjectReply } from 'fastify'
import { Unavailable } from '../../errors.ts'
import type { ServiceName } from '@prelude/contracts'
import type { CallReply, CallRequest, ServiceCall } from './port.ts'
import { takeStreams } from './hand-over.ts'
import { callHeaders, textHeaders } from './headers.ts'
import { requestOf } from './question.ts'

const DEFAULT_TIMEOUT_MS = 4_000

/**
 * Calls between parts that live in one process: an operation is asked directly, anything else goes through the app's
 * routes; the same handlers and schemas, no socket. `apps` fills up as parts start.
 */
export function injectCalls(apps: Map<ServiceName, FastifyInstance>, internalSecret: string): ServiceCall {
  const appOf = (part: ServiceName): FastifyInstance => {
    const app = apps.get(part)
    if (!app) throw new Unavailable(part, 'it is not running')
    return app
  }
  const injection = (request: CallRequest): InjectOptions => ({
    method: request.method,
    url: request.path,
    headers: { ...request.headers, ...callHeaders(internalSecret, request) },
    ...(request.body !== undefined && { payload: request.body }),
    ...(request.signal && { signal: request.signal }),
  })
  return {
    ask: async (part, question) => {
      const app = appOf(part)
      const answer = app.answers.of.get(question.operation)
      if (answer) return inTime(part, {}, answer(question))
      // an app with a plain route at this place
      const { statusCode: status, payload: text } = await inTime(
        part,
        {},
        app.inject(injection(requestOf(question))),
      )
      return { status, text }
    },
    call: async (part: ServiceName, request: CallRequest): Promise<CallReply> => {
      const streamed = Promise.withResolvers<CallReply>()
      const whole = takeStreams(streamed.resolve, async () =>
        wholeReply(await appOf(part).inject(injection(request))),
      )
      const answered = Promise.race([streamed.promise, whole])
      const leave = (): void => void answered.then(({ body }) => body.destroy()).catch(() => {})
      request.signal?.addEventListener('abort', leave, { once: true })
      return inTime(part, request, answered).catch((error: unknown) => {
        leave()
        throw error
      })
    },
  }
}

const wholeReply = ({ statusCode, headers, rawPayload }: InjectReply): CallReply => ({
  status: statusCode,
  headers: textHeaders(headers),
  body: Readable.from(rawPayload.length > 0 ? [rawPayload] : []),
})

async function inTime<T>(
  part: ServiceName,
  { timeoutMs }: Pick<CallRequest, 'timeoutMs'>,
  answer: Promise<T>,
): Promise<T> {
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
