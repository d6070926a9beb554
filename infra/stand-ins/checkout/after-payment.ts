import { type Effect, Impossible } from './effects.ts'
import { type Charge, type Dispute, drawId, type Refund } from './objects.ts'
import type { Store } from './store.ts'
import { invalid } from './stripe-error.ts'

/** Refunds and disputes of paid checkouts. `now` is seconds since the epoch. */

/** Errors: StripeError, as at Stripe. */
export function refund(
  charge: Charge,
  order: { amount: number | undefined; metadata: Record<string, string> },
  now: number,
): Effect & { readonly refund: Refund } {
  const left = charge.amount - charge.amount_refunded
  if (charge.disputed)
    throw invalid(
      'charge_disputed',
      null,
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
    )
  if (left === 0)
    throw invalid('charge_already_refunded', null, `Charge ${charge.id} has already been refunded.`)
  const amount = order.amount ?? left
  if (amount > left) {
    const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`
    throw invalid(null, 'amount', message)
  }
  const made: Refund = {
    id: drawId('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    created: now,
    currency: charge.currency,
    metadata: order.metadata,
    payment_intent: charge.payment_intent,
    status: 'succeeded',
  }
  const amount_refunded = charge.amount_refunded + amount
  return {
    refund: made,
    changes: [
      ['refund', made.id, made],
      ['charge', charge.id, { ...charge, amount_refunded, refunded: amount_refunded === charge.amount }],
    ],
    events: [
      { type: 'charge.refunded', collection: 'charge', id: charge.id },
      { type: 'refund.created', collection: 'refund', id: made.id },
    ],
  }
}

/** The newest refund fails: the bank returns its money. */
export function failRefund(store: Store, charge: Charge): Effect {
  const last = store.list('refund').findLast((one) => one.charge === charge.id && one.status === 'succeeded')
  if (!last) throw new Impossible('There is no refund.')
  const failed: Refund = { ...last, status: 'failed', failure_reason: 'lost_or_stolen_card' }
  const amount_refunded = charge.amount_refunded - last.amount
  return {
    changes: [
      ['refund', last.id, failed],
      ['charge', charge.id, { ...charge, amount_refunded, refunded: false }],
    ],
    events: [
      { type: 'refund.updated', collection: 'refund', id: last.id },
      { type: 'refund.failed', collection: 'refund', id: last.id },
    ],
  }
}

/** A dispute: the person's bank takes the money back. */
export function dispute(charge: Charge, now: number): Effect {
  const amount = charge.amount - charge.amount_refunded
  if (charge.disputed || amount === 0) throw new Impossible('There is nothing to dispute.')
  const id = drawId('dp')
  return {
    changes: [
      ['charge', charge.id, { ...charge, disputed: true }],
      [
        'dispute',
        id,
        {
          id,
          object: 'dispute',
          amount,
          charge: charge.id,
          created: now,
          currency: charge.currency,
          livemode: false,
          metadata: {},
          payment_intent: charge.payment_intent,
          reason: 'fraudulent',
          status: 'needs_response',
        },
      ],
    ],
    events: [
      { type: 'charge.dispute.created', collection: 'dispute', id },
      { type: 'charge.dispute.funds_withdrawn', collection: 'dispute', id },
    ],
  }
}

/** The dispute is won: the money comes back. */
export function reinstate(store: Store, charge: Charge): Effect {
  const open = openDispute(store, charge)
  return {
    changes: [
      ['dispute', open.id, { ...open, status: 'won' }],
      ['charge', charge.id, { ...charge, disputed: false }],
    ],
    events: [
      { type: 'charge.dispute.closed', collection: 'dispute', id: open.id },
      { type: 'charge.dispute.funds_reinstated', collection: 'dispute', id: open.id },
    ],
  }
}

/** The dispute is lost: the money does not come back. */
export function lose(store: Store, charge: Charge): Effect {
  const open = openDispute(store, charge)
  return {
    changes: [['dispute', open.id, { ...open, status: 'lost' }]],
    events: [{ type: 'charge.dispute.closed', collection: 'dispute', id: open.id }],
  }
}

function openDispute(store: Store, charge: Charge): Dispute {
  const open = store
    .list('dispute')
    .find((one) => one.charge === charge.id && one.status === 'needs_response')
  if (!open) throw new Impossible('There is no open dispute.')
  return open
}
