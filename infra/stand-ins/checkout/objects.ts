import { randomBytes } from 'node:crypto'

/** The objects of Stripe's API, with the fields that matter here. Amounts are cents, times seconds since the epoch. */
interface Session {
  readonly id: string
  readonly object: 'checkout.session'
  readonly amount_total: number
  readonly cancel_url: string | null
  readonly client_reference_id: string | null
  readonly created: number
  readonly currency: string
  readonly customer_email: string | null
  readonly expires_at: number
  readonly livemode: false
  readonly metadata: Record<string, string>
  readonly mode: 'payment'
  readonly payment_intent: string | null
  readonly payment_status: 'paid' | 'unpaid'
  readonly status: 'open' | 'complete' | 'expired'
  readonly success_url: string
}

/** A session, with the fields of its order that are not in the object on the wire. */
export interface Checkout {
  readonly session: Session
  readonly product: string
  readonly intentMetadata: Record<string, string>
}

export interface Intent {
  readonly id: string
  readonly object: 'payment_intent'
  readonly amount: number
  readonly amount_received: number
  readonly created: number
  readonly currency: string
  readonly latest_charge: string | null
  readonly livemode: false
  readonly metadata: Record<string, string>
  readonly status: 'processing' | 'succeeded' | 'requires_payment_method'
}

export interface Charge {
  readonly id: string
  readonly object: 'charge'
  readonly amount: number
  readonly amount_refunded: number
  readonly created: number
  readonly currency: string
  readonly disputed: boolean
  readonly livemode: false
  readonly metadata: Record<string, string>
  readonly paid: true
  readonly payment_intent: string
  readonly refunded: boolean
  readonly status: 'succeeded'
}

export interface Refund {
  readonly id: string
  readonly object: 'refund'
  readonly amount: number
  readonly charge: string
  readonly created: number
  readonly currency: string
  readonly metadata: Record<string, string>
  readonly payment_intent: string
  readonly status: 'succeeded' | 'failed'
  /** Only when it failed. */
  readonly failure_reason?: 'lost_or_stolen_card'
}

export interface Dispute {
  readonly id: string
  readonly object: 'dispute'
  readonly amount: number
  readonly charge: string
  readonly created: number
  readonly currency: string
  readonly livemode: false
  readonly metadata: Record<string, string>
  readonly payment_intent: string
  readonly reason: 'fraudulent'
  readonly status: 'needs_response' | 'won' | 'lost'
}

/** An event that the webhook has not accepted yet. */
export interface Delivery {
  readonly event: StripeEvent
  /** Deliveries of one payment are sent in order. */
  readonly lane: string
  readonly attempts: number
  /** ms since the epoch */
  readonly dueAt: number
}

export interface StripeEvent {
  readonly id: string
  readonly object: 'event'
  readonly api_version: string
  readonly created: number
  readonly data: { readonly object: unknown }
  readonly livemode: boolean
  readonly pending_webhooks: number
  readonly request: { readonly id: null; readonly idempotency_key: null }
  readonly type: string
}

/** The answer to an idempotency key. */
export interface SavedAnswer {
  readonly fingerprint: string
  readonly body: string
  /** ms since the epoch */
  readonly at: number
}

export interface Collections {
  readonly checkout: Checkout
  readonly intent: Intent
  readonly charge: Charge
  readonly refund: Refund
  readonly dispute: Dispute
  readonly event: StripeEvent
  readonly answer: SavedAnswer
  readonly delivery: Delivery
  readonly setting: string
}

export type Collection = keyof Collections

/** Sets or, with null, removes one object. */
export type Change = { [K in Collection]: readonly [K, string, Collections[K] | null] }[Collection]

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `evt_4fK2…`, like Stripe's. */
export const drawId = (prefix: string): string =>
  `${prefix}_${[...randomBytes(28)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`
