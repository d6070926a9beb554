import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { CallReply } from './port.ts'
import { textHeaders } from './headers.ts'

const takers = new AsyncLocalStorage<(reply: CallReply) => void>()

/** What the app answers with a stream while `ask` runs goes to `take` as the stream that it is, not by way of HTTP. */
export const takeStreams = <T>(take: (reply: CallReply) => void, ask: () => T): T => takers.run(take, ask)

/** Whoever asks within the process gets a stream itself; what is left of the HTTP answer is empty. */
export function handOverStreams(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const take = takers.getStore()
    if (!take || !(payload instanceof Readable)) return done(null, payload)
    take({ status: reply.statusCode, headers: textHeaders(reply.getHeaders()), body: payload })
    done(null, '')
  })
}
