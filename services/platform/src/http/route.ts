import type { BodyOf, Operation, QueryOf, ReplyOf, ServiceName } from '@prelude/contracts'
import type { FastifyInstance } from 'fastify'
import type { Histogram } from 'prom-client'
import type { TSchema } from 'typebox'
import { AppError } from '../errors.ts'
import type { OperationInput } from './calls/port.ts'
import { invalidRequest } from './problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call an internal operation besides the gateway. */
    readonly callers?: readonly ServiceName[]
  }
  interface FastifyInstance {
    /** Of an internal app: what runs each operation for a caller in the process. */
    readonly operations?: Map<Operation, (input: OperationInput) => Promise<unknown>>
    /** Of an internal app: durations of requests and calls. */
    readonly requests: Histogram
  }
}

interface RouteContext<O extends Operation> {
  readonly params: Record<string, string>
  readonly query: QueryOf<O>
  readonly body: BodyOf<O>
}

/** Answers an internal operation. Throws AppErrors. */
export type RouteHandler<O extends Operation> = (context: RouteContext<O>) => Promise<ReplyOf<O>>

/** Registers an internal operation: for its callers, validated and serialised from its schemas. */
export function route<O extends Operation>(
  app: FastifyInstance,
  operation: O,
  handle: RouteHandler<O>,
): void {
  const { method, path: url, query: querystring, body, reply, callers = [] } = operation
  app.route({
    method,
    url,
    config: { callers },
    schema: { ...(querystring && { querystring }), ...(body && { body }), response: { 200: reply } },
    handler: ({ params, query, body }) => handle({ params, query, body } as RouteContext<O>),
  })
  let run: ((input: OperationInput) => Promise<unknown>) | undefined
  app.operations?.set(operation, (input) => (run ??= checked(app, operation, handle))(input))
}

/** Errors: not_found, so that an operation reveals nothing. */
export function assertMayCall(caller: ServiceName, callers: readonly ServiceName[] = []): void {
  if (caller !== 'gateway' && !callers.includes(caller)) throw new AppError('not_found')
}

/** The handler for callers in the process: its input copied and validated, its answer serialised, by the compilers of the app. */
function checked<O extends Operation>(
  app: FastifyInstance,
  { method, path: url, query, body, reply }: O,
  handle: RouteHandler<O>,
): (input: OperationInput) => Promise<unknown> {
  const validator = (httpPart: string, schema: TSchema | undefined) => {
    const validate = schema && app.validatorCompiler!({ schema, method, url, httpPart })
    return (value: unknown): void => {
      if (validate?.(value) === false) throw invalidRequest(validate.errors ?? [], httpPart)
    }
  }
  const assertBody = validator('body', body)
  const assertQuery = validator('querystring', query)
  const serialize = app.serializerCompiler!({ schema: reply, method, url, httpStatus: '200' })
  return async (input) => {
    const params = Object.entries(input.params ?? {}).map(([name, value]) => [name, String(value)])
    const given = {
      params: Object.fromEntries(params) as Record<string, string>,
      query: { ...input.query } as QueryOf<O>,
      body: (input.body === undefined ? input.body : JSON.parse(JSON.stringify(input.body))) as BodyOf<O>,
    }
    assertBody(given.body)
    assertQuery(given.query)
    return JSON.parse(serialize(await handle(given)))
  }
}
