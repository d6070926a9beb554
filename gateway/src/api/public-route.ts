import type { Code } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Documentation } from './document/documentation.ts'
import { answerOnce, type OnceDeps } from './plugins/idempotency.ts'
import { SENT } from './sent.ts'

/**
 * Who may call: `anyone` (no session is looked up, so it works while the session store is down), `visitor` (a session if
 * there is one), `person`, `operator` (the one configured uid), `unlocked` (the operator, after the password).
 */
export type Access = 'anyone' | 'visitor' | 'person' | 'operator' | 'unlocked'

/**
 * Which limits count a call; state changes of people count as `change` when nothing is said, and reads are free. `drawn` counts
 * answers that are drawn or packed (PDF, ZIP, CSV), `shared` calls that one address has in flight.
 */
export type Limit =
  | 'change'
  | 'submit'
  | 'search'
  | 'drawn'
  | 'sign-in'
  | 'client-error'
  | 'web-vitals'
  | 'shared'
  | 'none'

export interface Call<Query = Record<string, string | undefined>, Body = unknown> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Of this call and of the resource that it creates; the same when the call is repeated with its Idempotency-Key. */
  readonly id: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
}

type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface PublicRoute {
  readonly method: Method
  readonly url: string
  readonly access: Access
  /** For the API's document. */
  readonly summary: string
  readonly document?: Documentation
  readonly refusals: readonly Code[]
  readonly query?: TSchema
  /** The handler checks the query itself: a browser comes here by a link of another site, and gets a page, not a problem. */
  readonly anyQuery?: boolean
  /** Absent: no body is read; `stream`: the handler reads it. */
  readonly body?: TSchema | 'stream'
  /** A request without a body and its type counts as `{}`. */
  readonly bodyOptional?: boolean
  /** Of a JSON body; 1 MiB if not given. */
  readonly maxBodyBytes?: number
  readonly reply?: TSchema
  /** 200 if not given. */
  readonly status: number
  /** A function where the query decides. */
  readonly limit?: Limit | ((query: Readonly<Record<string, unknown>>) => Limit)
  /** Answers of this POST are kept for its Idempotency-Key. */
  readonly idempotent: boolean
  /** The refusal that a caller who prefers `handling=lenient` (RFC 7240) gets as 204: a browser logs each error that it receives. */
  readonly lenient?: Code
  /** What the operator does, in the audit. */
  readonly action?: string
  /** Repeats by an unlocked session have no entry in the audit. */
  readonly auditedOnce?: true
  /** What the operator does where the call is about another person, in the audit (`auditOfOthers`); the query may decide. */
  readonly ofOthers?: string | ((query: Readonly<Record<string, string | undefined>>) => string)
  /** A further check of the caller, before the body is read. */
  readonly guard?: (request: FastifyRequest) => Promise<void>
  /** The handler awaits `request.user`. */
  readonly needsUser?: true
  /** What a person reads instead of `unavailable` or an internal error. */
  readonly failure?: Code
  /** Also GET's HEAD; true if not given. */
  readonly head?: boolean
  /** Answers the body, or SENT. */
  readonly handle: (call: Call) => Promise<unknown>
}

type Typed<S> = S extends TSchema ? Static<S> : unknown
type QueryOf<S> = S extends TSchema ? Static<S> : Record<string, string | undefined>

type Generic = 'method' | 'url' | 'query' | 'body' | 'handle' | 'status' | 'idempotent' | 'refusals'

type Spec<Q, B> = Omit<PublicRoute, Generic> & {
  readonly query?: Q
  readonly body?: B
  readonly status?: number
  readonly idempotent?: boolean
  readonly refusals?: readonly Code[]
  readonly handle: (call: Call<QueryOf<Q>, Typed<B>>) => Promise<unknown>
}

const CHANGES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Methods that change something; the others read. */
export const isChange = (method: string): boolean => CHANGES.has(method)

/** The body of a POST whose path says it all. It is read, so that the call can be repeated under its Idempotency-Key. */
export const NO_FIELDS = { body: Type.Object({}), bodyOptional: true } as const

/** One operation of the public API, by its method and path. A POST with a JSON body is idempotent unless it says otherwise. */
export function publicRoute<
  const Q extends TSchema | undefined,
  const B extends TSchema | 'stream' | undefined,
>(on: `${Method} /${string}`, spec: Spec<Q, B>): PublicRoute {
  const [method, url] = on.split(' ')
  const keyed = method === 'POST' && spec.body !== undefined && spec.body !== 'stream'
  return { method, url, status: 200, idempotent: keyed, refusals: [], ...spec } as unknown as PublicRoute
}

declare module 'fastify' {
  interface FastifyContextConfig {
    publicRoute?: PublicRoute
    /** Of a page, which is no operation of the API. */
    limit?: Limit
  }
}

export function registerRoute(app: FastifyInstance, deps: OnceDeps, route: PublicRoute): void {
  app.route({
    method: route.method,
    url: route.url,
    config: {
      publicRoute: route,
      swagger: { exposeHeadRoute: route.method === 'HEAD' || route.document?.head === true },
    },
    exposeHeadRoute: route.head ?? true,
    schema: {
      ...(route.query && { querystring: route.query }),
      ...(isSchema(route.body) && { body: route.body }),
      ...(route.reply && { response: { [route.status]: route.reply } }),
    },
    handler: (request, reply) => {
      const handle = (id: string): Promise<unknown> =>
        route.handle({
          request,
          reply,
          id,
          params: request.params as Record<string, string>,
          query: request.query as Record<string, string | undefined>,
          // unknown fields are ignored, and never passed on
          body: isSchema(route.body) ? Value.Clean(route.body, request.body) : request.body,
        })
      const answered = route.idempotent
        ? answerOnce(deps, request, reply, route.status, handle)
        : handle(newId())
      answered.then(
        (answer) => void (answer === SENT || reply.code(route.status).send(answer)),
        (error: unknown) => void reply.send(error),
      )
    },
  })
}

const isSchema = (body: PublicRoute['body']): body is TSchema => body !== undefined && body !== 'stream'
