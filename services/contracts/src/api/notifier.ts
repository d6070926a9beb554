import { type Static, Type } from 'typebox'
import { type AlertName, ALERTS } from '../alerts.ts'
import { defineApi, Empty, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'

/** A mail in the queue: what caused it and how it fares; never its text or address. */
export const Message = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  uid: Nullable(Type.String()),
  /** The song it is about. */
  songId: Nullable(Type.String()),
  /** To the operator, about the person `uid`. */
  toOperator: Type.Boolean(),
  state: OneOf('pending', 'sent', 'failed'),
  attempts: Type.Integer(),
  createdAt: Time,
  sentAt: Nullable(Time),
  /** Of one that waits: the next try. */
  nextAt: Nullable(Time),
  lastError: Nullable(Type.String()),
})
export type Message = Static<typeof Message>

/** Something that has lasted so long that a person has to look at it. */
export const Alert = Type.Object({
  name: OneOf(...(Object.keys(ALERTS) as AlertName[])),
  service: Nullable(Type.String()),
  /** What was seen, in words and numbers. */
  detail: Type.String(),
  since: Time,
  /** How this installation types the command that helps; absent where there is none. */
  command: Type.Optional(Type.String()),
})
export type Alert = Static<typeof Alert>

export const notifierApi = defineApi({
  /** Without `uid`: those about all people. `unsent`: those alone that wait or were given up. */
  list: {
    method: 'GET',
    path: '/messages',
    query: Type.Object({
      uid: Type.Optional(Type.String()),
      unsent: Type.Optional(Type.Boolean()),
      ...PageQuery,
    }),
    reply: Page(Message),
  },
  resend: { method: 'POST', path: '/messages/:id/resend', reply: Empty },
  /** What is wrong with the product now, as far as its own watch has noticed. */
  alerts: { method: 'GET', path: '/alerts', reply: Type.Object({ items: Type.Array(Alert) }) },
})
