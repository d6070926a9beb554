import { type Change, type Charge, type Checkout, drawId, type Intent } from './objects.ts'
import type { Store } from './store.ts'

/** Effects of an act: changed objects and new events. */
export interface Effect {
  readonly changes: readonly Change[]
  readonly events: readonly {
    readonly type: string
    readonly collection: EventSubject
    readonly id: string
  }[]
}

type EventSubject = 'checkout' | 'charge' | 'refund' | 'dispute'

/** The act is not possible in the state of the checkout. */
export class Impossible extends Error {
  override readonly name = 'Impossible'
}

/** Seconds since the epoch. */
type Now = number

/** The person pays at once. */
export function pay(checkout: Checkout, now: Now): Effect {
  assertOpen(checkout)
  const intent = intentOf(checkout, now)
  return succeed(checkout, intent, now, 'checkout.session.completed')
}

/** The person chooses a payment method whose money arrives days later, or never. */
export function payLater(checkout: Checkout, now: Now): Effect {
  assertOpen(checkout)
  const intent = intentOf(checkout, now)
  const session = { ...checkout.session, status: 'complete' as const, payment_intent: intent.id }
  return {
    changes: [
      ['intent', intent.id, intent],
      ['checkout', session.id, { ...checkout, session }],
    ],
    events: [{ type: 'checkout.session.completed', collection: 'checkout', id: session.id }],
  }
}

/** The money of a later payment has arrived. */
export const settle = (store: Store, checkout: Checkout, now: Now): Effect =>
  succeed(checkout, processingIntent(store, checkout), now, 'checkout.session.async_payment_succeeded')

/** The money of a later payment will not arrive. */
export function fail(store: Store, checkout: Checkout): Effect {
  const intent = processingIntent(store, checkout)
  return {
    changes: [['intent', intent.id, { ...intent, status: 'requires_payment_method' }]],
    events: [
      { type: 'checkout.session.async_payment_failed', collection: 'checkout', id: checkout.session.id },
    ],
  }
}

export function expire(checkout: Checkout): Effect {
  assertOpen(checkout)
  const session = { ...checkout.session, status: 'expired' as const }
  return {
    changes: [['checkout', session.id, { ...checkout, session }]],
    events: [{ type: 'checkout.session.expired', collection: 'checkout', id: session.id }],
  }
}

/** The charge of a paid checkout. Errors: Impossible. */
export function chargeOf(store: Store, { session }: Checkout): Charge {
  const intent = session.payment_intent === null ? undefined : store.get('intent', session.payment_intent)
  const charge = intent?.latest_charge ? store.get('charge', intent.latest_charge) : undefined
  if (!charge) throw new Impossible('Nothing has been paid.')
  return charge
}

function assertOpen({ session }: Checkout): void {
  if (session.status !== 'open') throw new Impossible(`The checkout is ${session.status}.`)
}

function processingIntent(store: Store, { session }: Checkout): Intent {
  const intent = session.payment_intent === null ? undefined : store.get('intent', session.payment_intent)
  if (intent?.status !== 'processing') throw new Impossible('No payment is under way.')
  return intent
}

const intentOf = (checkout: Checkout, now: Now): Intent => ({
  id: drawId('pi'),
  object: 'payment_intent',
  amount: checkout.session.amount_total,
  amount_received: 0,
  created: now,
  currency: checkout.session.currency,
  latest_charge: null,
  livemode: false,
  metadata: checkout.intentMetadata,
  status: 'processing',
})

function succeed(checkout: Checkout, intent: Intent, now: Now, type: string): Effect {
  const charge: Charge = {
    id: drawId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_refunded: 0,
    created: now,
    currency: intent.currency,
    disputed: false,
    livemode: false,
    metadata: intent.metadata,
    paid: true,
    payment_intent: intent.id,
    refunded: false,
    status: 'succeeded',
  }
  const session = {
    ...checkout.session,
    status: 'complete' as const,
    payment_status: 'paid' as const,
    payment_intent: intent.id,
  }
  return {
    changes: [
      [
        'intent',
        intent.id,
        { ...intent, status: 'succeeded', amount_received: intent.amount, latest_charge: charge.id },
      ],
      ['charge', charge.id, charge],
      ['checkout', session.id, { ...checkout, session }],
    ],
    events: [
      { type: 'charge.succeeded', collection: 'charge', id: charge.id },
      { type, collection: 'checkout', id: session.id },
    ],
  }
}
