import type { DisputePhase, Observation } from './facts.ts'
import { field, flag, type Json, object, reference, text, whole } from './json.ts'
import { type Claim, type Reading, saidOnly } from './reading.ts'

/** An event of Stripe as far as it is stored for every type. */
export interface StripeEvent {
  readonly id: string
  readonly type: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly livemode: boolean | null
  readonly object: Json
}

/** Null when this is no event of Stripe's. */
export function stripeEvent(value: unknown): StripeEvent | null {
  const event = object(value)
  const id = text(event, 'id')
  const type = text(event, 'type')
  const subject = field(field(event, 'data'), 'object')
  if (id === null || type === null || subject === null) return null
  return {
    id,
    type,
    created: whole(event, 'created') ?? 0,
    livemode: flag(event, 'livemode'),
    object: subject,
  }
}

type Read = (event: StripeEvent) => Reading | null

/** All that is read of Stripe's events, and how. */
const READERS: Readonly<Record<string, Read>> = {
  'checkout.session.completed': readPaid,
  'checkout.session.async_payment_succeeded': readPaid,
  'checkout.session.async_payment_failed': (event) => readEnd(event, { kind: 'failed' }),
  'checkout.session.expired': (event) => readEnd(event, { kind: 'expired' }),
  'charge.succeeded': readCharge,
  'charge.refunded': readCharge,
  'refund.created': readRefund,
  'refund.updated': readRefund,
  'refund.failed': readRefund,
  'charge.dispute.created': readDispute,
  'charge.dispute.updated': readDispute,
  'charge.dispute.funds_withdrawn': readDispute,
  'charge.dispute.funds_reinstated': readDispute,
  'charge.dispute.closed': readDispute,
  // what Stripe's older versions call refund.updated
  'charge.refund.updated': readRefund,
}

/** The types that a webhook must be sent, and that reconciliation asks for. */
export const STRIPE_EVENT_TYPES: readonly string[] = Object.keys(READERS)

/** The reading of an event; null for the types that are not used here. */
export function readStripeEvent(event: StripeEvent): Reading | null {
  return Object.hasOwn(READERS, event.type) ? (READERS[event.type]?.(event) ?? null) : null
}

function readPaid(event: StripeEvent): Reading {
  const session = event.object
  const claim = sessionClaim(session, event.livemode)
  const reading = { ...sessionIdentity(session), eventType: event.type }
  const status = text(session, 'payment_status')
  if (status === 'paid') return { ...reading, claim, observations: [{ kind: 'paid' }] }
  if (status === 'unpaid')
    return { ...reading, claim: saidOnly(claim), observations: [{ kind: 'processing' }] }
  return { ...reading, claim: { ...saidOnly(claim), outcome: 'unclear' }, observations: [] }
}

const readEnd = (event: StripeEvent, observation: Observation): Reading => ({
  ...sessionIdentity(event.object),
  claim: saidOnly(sessionClaim(event.object, event.livemode)),
  observations: [observation],
  eventType: event.type,
})

const sessionIdentity = (session: Json) => ({
  paymentId: text(session, 'client_reference_id'),
  sessionId: text(session, 'id'),
  paymentIntent: reference(session, 'payment_intent'),
  receiptUrl: null,
})

/** `eventLivemode`: the mode of the message around the session, which must agree with it where both have one. */
function sessionClaim(session: Json, eventLivemode: boolean | null): Claim {
  const modes = [flag(session, 'livemode'), eventLivemode].filter((mode) => mode !== null)
  const [livemode] = modes
  return {
    sessionId: text(session, 'id'),
    amountCents: whole(session, 'amount_total'),
    currency: text(session, 'currency')?.toUpperCase() ?? null,
    ...(livemode !== undefined && { livemode: modes.every((mode) => mode === livemode) ? livemode : null }),
    uid: text(field(session, 'metadata'), 'userId'),
  }
}

function readCharge(event: StripeEvent): Reading {
  const charge = event.object
  const refunded = event.type === 'charge.refunded'
  return {
    ...chargeIdentity(charge),
    claim: chargeClaim(event),
    observations: refunded ? [refundSum(charge, event.created)] : [],
    receiptUrl: text(charge, 'receipt_url'),
    eventType: refunded ? event.type : null,
  }
}

const chargeIdentity = (charge: Json) => ({
  paymentId: text(field(charge, 'metadata'), 'paymentId'),
  sessionId: null,
  paymentIntent: reference(charge, 'payment_intent'),
})

const chargeClaim = ({ livemode, object }: StripeEvent): Claim =>
  saidOnly({ livemode, currency: text(object, 'currency')?.toUpperCase() ?? null })

/** The sum of a charge's refunds, as of `at`. */
const refundSum = (charge: Json, at: number): Observation => ({
  kind: 'refunded',
  sum: { cents: whole(charge, 'amount_refunded') ?? 0, at },
})

function readRefund(event: StripeEvent): Reading {
  const refund = event.object
  const observation = refundOf(refund, event.created)
  return {
    ...chargeIdentity(refund),
    claim: chargeClaim(event),
    observations: observation === null ? [] : [observation],
    receiptUrl: null,
    // a refund that did not fail is covered by the sum of its charge
    eventType: event.type === 'refund.failed' ? event.type : null,
    ...ownRefund(refund),
  }
}

/** Which of our refunds it is; one that was made at the provider is none. */
function ownRefund(refund: Json): Pick<Reading, 'refund'> {
  const id = text(field(refund, 'metadata'), 'refundId')
  const providerRefundId = text(refund, 'id')
  return id === null || providerRefundId === null ? {} : { refund: { id, providerRefundId } }
}

/** A single refund as of `at`, also one that is still pending; null without an id or sum. */
function refundOf(refund: Json, at: number): Observation | null {
  const refundId = text(refund, 'id')
  const amountCents = whole(refund, 'amount')
  if (refundId === null || amountCents === null) return null
  const status = text(refund, 'status')
  const failedAt = status === 'failed' || status === 'canceled' ? at : null
  return {
    kind: 'refund',
    refundId,
    refund: { amountCents, failedAt },
  }
}

/** The reading of a refund as of `at`, with its charge expanded. */
export function readRefunded(paymentId: string, refund: Json, at: number): Reading {
  const charge = field(refund, 'charge')
  const one = refundOf(refund, at)
  return {
    paymentId,
    sessionId: null,
    paymentIntent: reference(refund, 'payment_intent') ?? reference(charge, 'payment_intent'),
    claim: null,
    observations: [...(one ? [one] : []), ...(charge ? [refundSum(charge, at)] : [])],
    receiptUrl: text(charge, 'receipt_url'),
    eventType: null,
    ...ownRefund(refund),
  }
}

function readDispute(event: StripeEvent): Reading {
  const name = event.type.slice('charge.dispute.'.length)
  const dispute = event.object
  const charge = field(dispute, 'charge')
  const own = chargeIdentity(dispute)
  return {
    paymentId: own.paymentId ?? text(field(charge, 'metadata'), 'paymentId'),
    sessionId: null,
    paymentIntent: own.paymentIntent ?? reference(charge, 'payment_intent'),
    claim: chargeClaim(event),
    observations: [
      {
        kind: 'disputed',
        disputeId: text(dispute, 'id') ?? 'unnamed',
        dispute: {
          phase: disputePhase(name, text(dispute, 'status')),
          // a dispute that names no sum is about all of it
          amountCents: whole(dispute, 'amount') ?? Number.MAX_SAFE_INTEGER,
          at: event.created,
        },
      },
    ],
    receiptUrl: null,
    eventType: event.type,
  }
}

function disputePhase(name: string, status: string | null): DisputePhase {
  if (name === 'funds_reinstated') return 'returned'
  if (name === 'closed' && status === 'lost') return 'lost'
  if (status === 'won' || status === 'prevented') return 'returned'
  if (name === 'funds_withdrawn') return 'taken'
  return status?.startsWith('warning_') ? 'inquiry' : 'taken'
}

/**
 * What a session fetched from Stripe `at` that moment says, with `payment_intent.latest_charge` expanded: the same
 * reading as from its events, for events that never arrived. Null when it says nothing yet.
 */
export function readSession(session: Json, at: number): Reading | null {
  const claim = sessionClaim(session, null)
  const intent = field(session, 'payment_intent')
  const observation = sessionObservation(session, intent)
  if (observation === null) return null
  const reading = { ...sessionIdentity(session), eventType: null }
  if (observation.kind !== 'paid') return { ...reading, claim: saidOnly(claim), observations: [observation] }
  const charge = field(intent, 'latest_charge')
  return {
    ...reading,
    claim,
    observations: charge === null ? [observation] : [observation, refundSum(charge, at)],
    receiptUrl: text(charge, 'receipt_url'),
  }
}

function sessionObservation(session: Json, intent: Json | null): Observation | null {
  const status = text(session, 'status')
  if (text(session, 'payment_status') === 'paid') return { kind: 'paid' }
  if (status === 'expired') return { kind: 'expired' }
  if (status !== 'complete') return null
  const intentStatus = text(intent, 'status')
  const failed = intentStatus === 'requires_payment_method' || intentStatus === 'canceled'
  return { kind: failed ? 'failed' : 'processing' }
}
