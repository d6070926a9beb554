import type { BodyOf, Operation, QueryOf, ReplyOf } from '@prelude/contracts'
import type { FastifyInstance } from 'fastify'

export interface RouteContext<O extends Operation> {
  readonly params: Record<string, string>
  readonly query: QueryOf<O>
  readonly body: BodyOf<O>
}

/** Registers an internal operation: for its callers, validated and serialised from its schemas. Throw AppErrors. */
export function route<O extends Operation>(
  app: FastifyInstance,
  operation: O,
  handle: (context: RouteContext<O>) => Promise<ReplyOf<O>>,
): void {
  app.route({
    method: operation.method,
    url: operation.path,
    config: { callers: operation.callers ?? [] },
    schema: {
      ...(operation.query && { querystring: operation.query }),
      ...(operation.body && { body: operation.body }),
      ...(operation.reply && { response: { 200: operation.reply } }),
    },
    handler: (request) =>
      handle({
        params: request.params as Record<string, string>,
        query: request.query as QueryOf<O>,
        body: request.body as BodyOf<O>,
      }),
  })
}
