import { field, object, text, whole } from './json.ts'
import type { Reading } from './reading.ts'

export interface PaystackEvent {
  /** Paystack's events carry no id of their own: the type and the transaction's id make one. */
  readonly id: string
  readonly type: string
  readonly objectId: string | null
  /** Null for the types that are not used here. */
  readonly reading: Reading | null
}

/** Null when this is no event of Paystack's. */
export function readPaystackEvent(value: unknown): PaystackEvent | null {
  const event = object(value)
  const type = text(event, 'event')
  const data = field(event, 'data')
  if (type === null || data === null) return null
  const reference = text(data, 'reference')
  const objectId = String(whole(data, 'id') ?? text(data, 'id') ?? reference ?? '')
  if (objectId === '') return null
  return {
    id: `${type}:${objectId}`,
    type,
    objectId,
    reading: type === 'charge.success' ? readTransaction(data, type) : null,
  }
}

const UUID_LENGTH = 36

/** What a transaction says; `eventType` null when it was fetched. */
export function readTransaction(data: Readonly<Record<string, unknown>>, eventType: string | null): Reading {
  const reference = text(data, 'reference')
  const domain = text(data, 'domain')
  return {
    // a second attempt has the payment's id with a counter after it
    paymentId: reference?.slice(0, UUID_LENGTH) ?? null,
    sessionId: reference,
    paymentIntent: null,
    claim: {
      sessionId: reference,
      amountCents: whole(data, 'amount'),
      currency: text(data, 'currency')?.toUpperCase() ?? null,
      livemode: domain === null ? null : domain === 'live',
    },
    observation: text(data, 'status') === 'success' ? { kind: 'paid' } : null,
    receiptUrl: null,
    eventType,
  }
}
