import {
  type BodyOf,
  type Code,
  type Operation,
  PROBLEMS,
  type Problem,
  type QueryOf,
  type ReplyOf,
  type ServiceName,
} from '@prelude/contracts'
import { text as readText } from 'node:stream/consumers'
import { AppError, Unavailable } from '../../errors.ts'
import { within } from '../../within.ts'
import type { CallReply, CallRequest, OperationInput, ServiceCall } from './port.ts'

/** For the body of a response that has begun. */
const READ_WITHIN_MS = 4_000

type Segments<Path extends string> = Path extends `${string}:${infer Param}/${infer Rest}`
  ? Param | Segments<Rest>
  : Path extends `${string}:${infer Param}`
    ? Param
    : never

type Input<O extends Operation> = ([Segments<O['path']>] extends [never]
  ? object
  : { params: Record<Segments<O['path']>, string | number> }) &
  (QueryOf<O> extends undefined
    ? object
    : object extends QueryOf<O>
      ? { query?: QueryOf<O> }
      : { query: QueryOf<O> }) &
  (BodyOf<O> extends undefined ? object : { body: BodyOf<O> })

type Method<O extends Operation> =
  object extends Input<O>
    ? (input?: Input<O>) => Promise<ReplyOf<O>>
    : (input: Input<O>) => Promise<ReplyOf<O>>

export type Client<A extends Record<string, Operation>> = { readonly [K in keyof A]: Method<A[K]> }

/** A typed caller of another service's operations. A refusal there is thrown here as the same AppError. */
export function client<A extends Record<string, Operation>>(
  calls: ServiceCall,
  service: ServiceName,
  api: A,
): Client<A> {
  const methods: Record<string, unknown> = {}
  for (const [name, operation] of Object.entries(api)) {
    methods[name] = (input: OperationInput = {}) => calls.invoke(service, operation, input)
  }
  return methods as Client<A>
}

/** Operations as HTTP requests. */
export const invokeWith =
  (call: ServiceCall['call']): ServiceCall['invoke'] =>
  async (service, operation, input) =>
    readReply(service, await call(service, requestOf(operation, input)))

function requestOf(
  { method, path: pattern, reads }: Operation,
  { params, query, body }: OperationInput,
): CallRequest {
  const path = pattern.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(String(params?.[param])))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined) search.set(key, String(value))
  return {
    method,
    path: search.size > 0 ? `${path}?${search}` : path,
    ...(reads && { reads }),
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }
}

/** The JSON of a 2xx response; anything else is thrown as the AppError it stands for. Errors: Unavailable when it breaks off. */
export async function readReply(service: ServiceName, { status, body }: CallReply): Promise<unknown> {
  let value: unknown
  try {
    value = JSON.parse((await within(READ_WITHIN_MS, readText(body))) || 'null')
  } catch (error) {
    body.destroy()
    throw new Unavailable(service, error)
  }
  if (status >= 300) throw errorOf(service, status, value as Problem | null)
  return value
}

/** What the caller of a refused call gets. */
export function errorOf(service: ServiceName, status: number, problem: Problem | null): Error {
  const code = problem?.code
  if (code === 'unavailable' || code === 'clock_skew') return new Unavailable(service, problem?.detail)
  if (code !== undefined && code !== 'internal_error' && code in PROBLEMS) {
    return new AppError(code as Code, {
      detail: problem?.detail ?? '',
      ...(problem?.errors && { errors: problem.errors }),
    })
  }
  return new Error(`${service} answered ${status} ${code ?? ''}`)
}
