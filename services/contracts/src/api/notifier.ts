import { type Static, Type } from 'typebox'
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

/** Every alert of the product's own watch; a name is a heading of docs/operations/alerts.md. */
const ALERT_NAMES = [
  'PreludeServiceDown',
  'PreludeInstanceDown',
  'PreludeDependencyDown',
  'PreludeConsumerStalled',
  'PreludeConnectionsExhausted',
  'PreludeJobFailing',
  'PreludeEventsNotForwarded',
  'PreludeDeadLetters',
  'PreludeConsumerLagging',
  'PreludeMailQueueOld',
  'PreludeMailsFailed',
  'PreludePushesUnauthorized',
  'PreludeCrossCheckStale',
  'PreludeBackupOld',
  'PreludeWalNotArchived',
  'PreludeCertificateExpires',
  'PreludePaymentsUncredited',
  'PreludeTransfersWait',
  'PreludeChargeUndecided',
  'PreludeSongsOverdue',
  'PreludeDiskLow',
  'PreludeInvariantBroken',
] as const
export type AlertName = (typeof ALERT_NAMES)[number]

/** Something that has lasted so long that a person has to look at it. */
export const Alert = Type.Object({
  name: OneOf(...ALERT_NAMES),
  service: Nullable(Type.String()),
  /** What was seen, in words and numbers. */
  detail: Type.String(),
  since: Time,
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
