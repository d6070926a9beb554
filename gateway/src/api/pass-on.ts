import { AppError, type CallReply, readReply, Unavailable } from '@prelude/platform'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SENT, type Sent } from './sent.ts'

/** The named headers of a request, for a service that checks them itself; never identity headers. */
export const requestHeaders = (request: FastifyRequest, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = request.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

/** Streams an answer of storage to the client, with the named headers. A refusal is thrown as its AppError. */
export async function passOn(
  reply: FastifyReply,
  answer: CallReply,
  names: readonly string[],
): Promise<Sent> {
  if (answer.status >= 400 && answer.status !== 416) {
    await readReply('storage', answer).catch((error: unknown) => {
      // the answer to HEAD does not say why
      if (reply.request.method !== 'HEAD') throw error
      throw answer.status === 404 ? new AppError('not_found') : new Unavailable('storage', error)
    })
  }
  void reply.code(answer.status)
  for (const name of names) {
    const value = answer.headers[name]
    if (value !== undefined) void reply.header(name, value)
  }
  // nothing to compress or to stream: without this an empty answer would be said to be encoded
  const isEmpty = answer.status === 204 || answer.status === 304
  if (isEmpty) answer.body.resume()
  void reply.send(isEmpty ? null : answer.body)
  return SENT
}
