import { type Json, object } from './json.ts'

/** Ids, sums, states and times. Not on the list: names, addresses, cards, and whatever a provider adds later. */
const KEPT = new Set([
  ...['id', 'object', 'event', 'type', 'api_version', 'created', 'livemode', 'domain', 'data'],
  ...[
    'amount',
    'amount_total',
    'amount_refunded',
    'currency',
    'status',
    'payment_status',
    'reason',
    'failure_reason',
  ],
  ...[
    'charge',
    'payment_intent',
    'client_reference_id',
    'reference',
    'transaction_reference',
    'refund_reference',
  ],
  ...['metadata', 'userId', 'paymentId', 'refundId', 'receipt_url'],
])

/**
 * The kept fields of a provider's message: enough to read it again, nothing that identifies a person (personal data is
 * stored in one place each, so that it can be deleted).
 */
export const keptOf = (message: Json): Json =>
  Object.fromEntries(
    Object.entries(message).flatMap(([key, value]) => {
      if (!KEPT.has(key) || isEmail(value) || Array.isArray(value)) return []
      const inner = object(value)
      return [[key, inner ? keptOf(inner) : value]]
    }),
  )

const isEmail = (value: unknown): boolean => typeof value === 'string' && value.includes('@')
