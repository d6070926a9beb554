import type { Code } from '@prelude/contracts'
import { type TObject, type TSchema, Type } from 'typebox'

/** What the API's document says of a route beyond the schemas that validate it. */
export interface Documentation {
  readonly description?: string
  /** By content type, where the handler reads the body itself or judges its fields one by one. */
  readonly bodies?: Readonly<Record<string, TSchema>>
  /** Request headers that count. */
  readonly headers?: TObject
  /** Answers beside `reply`, or more about it, by status. */
  readonly answers?: Readonly<Record<number, Answer>>
  /** Refusals with another status than their code has elsewhere: a protocol's own. */
  readonly statuses?: Readonly<Record<number, readonly Code[]>>
  /** HEAD is worth a word of its own. */
  readonly head?: boolean
}

export interface Answer {
  readonly description: string
  readonly content?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
}

/** Bytes that are no text. */
export const Binary = Type.String({ format: 'binary' })
export const Header = (description: string): TSchema => Type.String({ description })
/** In the currency's main unit. */
export const Money = (description: string, bounds: { minimum?: number; maximum?: number } = {}): TSchema =>
  Type.Number({ description: `${description}; at most two decimals`, ...bounds })

export const IdempotencyKey = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,255}$',
      description: 'the same key with the same bytes answers the first answer again, for 24 hours',
    }),
  ),
})
