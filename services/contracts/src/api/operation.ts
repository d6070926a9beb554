import { type Static, type TSchema, Type } from 'typebox'
import type { ServiceName } from '../services.ts'
import { MAX_CURSOR, MAX_PAGE } from '../limits.ts'

/**
 * One HTTP operation between services of the product: method, path with `:params`, and the shapes on the wire.
 * Services register it with `route(app, operation, handler)`, callers use `client(calls, 'songs', songsApi)`.
 */
export interface Operation {
  readonly method: 'GET' | 'PUT' | 'POST'
  readonly path: string
  readonly query?: TSchema
  readonly body?: TSchema
  readonly reply: TSchema
  /** Who may call it besides the gateway. */
  readonly callers?: readonly ServiceName[]
  /** Any instance of its service can answer it, also where other operations go to one certain instance. */
  readonly reads?: true
}

type Of<T> = T extends TSchema ? Static<T> : undefined
export type BodyOf<O extends Operation> = Of<O['body']>
export type QueryOf<O extends Operation> = Of<O['query']>
export type ReplyOf<O extends Operation> = Of<O['reply']>

/** Keeps the literal types of an API's operations. */
export const defineApi = <const A extends Record<string, Operation>>(api: A): A => api

/**
 * A schema with one `type`, or null. Not `anyOf`: for that a serializer compiles a validator of each alternative
 * (docs/decisions/0061).
 */
export const Nullable = <T extends TSchema>(schema: T) => {
  const { type, enum: values, ...rest } = schema as { type?: unknown; enum?: readonly unknown[] }
  if (typeof type !== 'string') throw new TypeError('A nullable schema has one type.')
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values && { enum: [...values, null] }),
  })
}
export const OneOf = <const T extends readonly string[]>(...values: T) =>
  Type.Unsafe<T[number]>(Type.String({ enum: [...values] }))
/** A page, newest first; `nextCursor` is null at the end. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), nextCursor: Nullable(Type.String()) })
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
  cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR })),
}
/** Milliseconds since the epoch. */
export const Time = Type.Integer()
/** The same from a caller: a time that a date can be. */
export const GivenTime = Type.Integer({ minimum: 0, maximum: 8.64e15 })
export const Empty = Type.Object({})
