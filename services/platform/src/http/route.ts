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
    readonly operations: Map<Operation, (input: OperationInput) => Promise<unknown>>
    /** Of an internal app: durations of requests and calls. */
    readonly requests: Histogram
  }
}

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
  const { method, path: url, query: querystring, body, reply, callers = [] } = operation
  app.route({
    method,
    url,
    config: { callers },
    schema: { ...(querystring && { querystring }), ...(body && { body }), response: { 200: reply } },
    handler: ({ params, query, body }) => handle({ params, query, body } as RouteContext<O>),
  })
  let contract: ReturnType<typeof contractOf> | undefined
  app.operations.set(operation, async (input) => {
    contract ??= contractOf(app, operation)
    return contract.copyOfReply(await handle(contract.copyOf(input)))
  })
}

/** Errors: not_found, so that an operation reveals nothing. */
export function assertMayCall(caller: ServiceName, callers: readonly ServiceName[] = []): void {
  if (caller !== 'gateway' && !callers.includes(caller)) throw new AppError('not_found')
}

/** Checks and copies for a call in the process what a request would parse and a response serialise, by the same compilers. */
function contractOf(app: FastifyInstance, { method, path: url, query, body, reply }: Operation) {
  const validator = (httpPart: string, schema: TSchema | undefined) => {
    const validate = schema && app.validatorCompiler!({ schema, method, url, httpPart })
    return (value: unknown): void => {
      if (validate?.(value) === false) throw invalidRequest(validate.errors ?? [], httpPart)
    }
  }
  const assertBody = validator('body', body)
  const assertQuery = validator('querystring', query)
  const serialize = app.serializerCompiler!({ schema: reply, method, url, httpStatus: '200' })
  return {
    copyOf: (input: OperationInput): RouteContext<Operation> => {
      const params: Record<string, string> = {}
      for (const [name, value] of Object.entries(input.params ?? {})) params[name] = String(value)
      const given = { params, query: { ...input.query }, body: copyOfJson(input.body) }
      assertBody(given.body)
      assertQuery(given.query)
      return given
    },
    copyOfReply: (value: unknown): unknown => JSON.parse(serialize(value)),
  }
}

const copyOfJson = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value))
