import { type Static, Type } from 'typebox'
import { defineApi, Empty, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'

/** A mail in the queue: what caused it and how it fares; never its text or address. */
export const Message = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  uid: Nullable(Type.String()),
  state: OneOf('pending', 'sent', 'failed'),
  attempts: Type.Integer(),
  createdAt: Time,
  sentAt: Nullable(Time),
  lastError: Nullable(Type.String()),
})
export type Message = Static<typeof Message>

export const notifierApi = defineApi({
  /** Without `uid`: those about all people. */
  list: {
    method: 'GET',
    path: '/messages',
    query: Type.Object({ uid: Type.Optional(Type.String()), ...PageQuery }),
    reply: Page(Message),
  },
  resend: { method: 'POST', path: '/messages/:id/resend', reply: Empty },
})
