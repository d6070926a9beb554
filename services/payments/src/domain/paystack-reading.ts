import { field, type Json, object, text, whole, wholeOrText } from './json.ts'
import { type Reading, saidOnly } from './reading.ts'

interface PaystackEvent {
  /** Paystack's events carry no id of their own: the type and the transaction's or refund's id make one. */
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
  const objectId = objectIdOf(data)
  if (objectId === null) return null
  return { id: `${type}:${objectId}`, type, objectId, reading: readEvent(type, data) }
}

const objectIdOf = (data: Json): string | null =>
  text(data, 'refund_reference') ??
  whole(data, 'id')?.toString() ??
  text(data, 'id') ??
  text(data, 'transaction_reference') ??
  text(data, 'reference')

function readEvent(type: string, data: Json): Reading | null {
  if (type === 'charge.success') return readTransaction(data, type)
  if (type === 'refund.processed' || type === 'refund.failed') return readRefund(data, type)
  if (type.startsWith('charge.dispute.')) return readDispute(data, type)
  return null
}

const UUID_LENGTH = 36

/** The reading of a transaction; `eventType` is null when it was fetched. */
export function readTransaction(data: Json, eventType: string | null): Reading {
  const reference = text(data, 'reference')
  return {
    ...identity(reference),
    claim: {
      sessionId: reference,
      amountCents: whole(data, 'amount'),
      currency: text(data, 'currency')?.toUpperCase() ?? null,
      livemode: livemodeOf(data),
    },
    observations: text(data, 'status') === 'success' ? [{ kind: 'paid' }] : [],
    eventType,
  }
}

/** Money that is on its way back, or that came back because the bank did not take it. */
function readRefund(data: Json, eventType: string): Reading {
  const reference = text(data, 'transaction_reference')
  const amountCents = wholeOrText(data, 'amount')
  const failedAt = eventType === 'refund.failed' ? 0 : null
  const refundId = text(data, 'refund_reference') ?? `${reference}:${amountCents}`
  return {
    ...identity(reference),
    claim: saidOnly({ currency: text(data, 'currency')?.toUpperCase() ?? null, livemode: livemodeOf(data) }),
    observations:
      amountCents === null ? [] : [{ kind: 'refund', refundId, refund: { amountCents, failedAt } }],
    eventType,
  }
}

/** A dispute is answered in the provider's own pages, and does not state when it takes money: the operator has to check. */
function readDispute(data: Json, eventType: string): Reading {
  const dispute = whole(data, 'id') ?? text(data, 'id') ?? ''
  const end = eventType === 'charge.dispute.resolve'
  return {
    ...identity(text(field(data, 'transaction'), 'reference')),
    claim: null,
    observations: [],
    eventType: null,
    alarm: end
      ? `dispute_resolved ${dispute} ${text(data, 'resolution') ?? ''}`.trim()
      : `disputed ${dispute}`,
  }
}

const identity = (reference: string | null) => ({
  // a second attempt has the payment's id with a counter after it
  paymentId: reference?.slice(0, UUID_LENGTH) ?? null,
  sessionId: reference,
  paymentIntent: null,
  receiptUrl: null,
})

function livemodeOf(data: Json): boolean | null {
  const domain = text(data, 'domain')
  return domain === null ? null : domain === 'live'
}
