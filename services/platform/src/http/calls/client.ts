import {
  type BodyOf,
  type Code,
  type Operation,
  PROBLEMS,
  type Problem,
  type QueryOf,
  type ReplyOf,
} from '@prelude/contracts'
import { text as readText } from 'node:stream/consumers'
import { AppError, Unavailable } from '../../errors.ts'
import type { ServiceName } from '@prelude/contracts'
import type { CallReply, ServiceCall } from './port.ts'
import type { Question } from './question.ts'

type Segments<Path extends string> = Path extends `${string}:${infer Param}/${infer Rest}`
  ? Param | Segments<Rest>
  : Path extends `${string}:${infer Param}`
    ? Param
    : never

type Input<O extends Operation> = ([Segments<O['path']>] extends [never]
  ? object
  : { params: Record<Segments<O['path']>, string | number> }) &
  (QueryOf<O> extends undefined ? object : { query: QueryOf<O> }) &
  (BodyOf<O> extends undefined ? object : { body: BodyOf<O> })

type Method<O extends Operation> =
  object extends Input<O>
    ? (input?: Input<O>) => Promise<ReplyOf<O>>
    : (input: Input<O>) => Promise<ReplyOf<O>>

export type Client<A extends Record<string, Operation>> = { readonly [K in keyof A]: Method<A[K]> }

/** A typed caller of another part's operations. A refusal there is thrown here as the same AppError. */
export function client<A extends Record<string, Operation>>(
  calls: ServiceCall,
  part: ServiceName,
  api: A,
): Client<A> {
  const methods: Record<string, unknown> = {}
  for (const [name, operation] of Object.entries(api)) {
    methods[name] = async (input: AnyInput = {}) =>
      readJson(part, await ask(calls, part, { operation, ...input }))
  }
  return methods as Client<A>
}

/** The same call, its answer as the JSON text that came: for who only passes it on. */
export const askText = <O extends Operation>(
  calls: ServiceCall,
  part: ServiceName,
  operation: O,
  input: Input<O>,
): Promise<string> => ask(calls, part, { operation, ...input })

type AnyInput = Omit<Question, 'operation'>

async function ask(calls: ServiceCall, part: ServiceName, question: Question): Promise<string> {
  const { status, text } = await calls.ask(part, question)
  if (status >= 300) throw refusalOf(part, status, text)
  return text
}

/** The JSON of a 2xx answer; anything else is thrown as the AppError it stands for. */
export async function readReply(part: ServiceName, reply: CallReply): Promise<unknown> {
  const text = await readText(reply.body).catch((error: unknown) => {
    throw new Unavailable(part, error)
  })
  if (reply.status >= 300) throw refusalOf(part, reply.status, text)
  return readJson(part, text)
}

const refusalOf = (part: ServiceName, status: number, text: string): Error =>
  errorOf(part, status, readJson(part, text) as Problem | null)

/** Errors: Unavailable when it breaks off. */
function readJson(part: ServiceName, text: string): unknown {
  try {
    return JSON.parse(text || 'null')
  } catch (error) {
    throw new Unavailable(part, error)
  }
}

function errorOf(part: ServiceName, status: number, problem: Problem | null): Error {
  const code = problem?.code
  if (code === 'unavailable') return new Unavailable(part, problem?.detail)
  if (code !== undefined && code !== 'internal_error' && code in PROBLEMS) {
    return new AppError(code as Code, {
      detail: problem?.detail ?? '',
      ...(problem?.errors && { errors: problem.errors }),
    })
  }
  return new Error(`${part} answered ${status} ${code ?? ''}`)
}
