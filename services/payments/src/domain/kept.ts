import type { Json } from './json.ts'

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
      if (!KEPT.has(key) || isAddress(value) || Array.isArray(value)) return []
      return [[key, isObject(value) ? keptOf(value) : value]]
    }),
  )

const isAddress = (value: unknown): boolean => typeof value === 'string' && value.includes('@')

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
