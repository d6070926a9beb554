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

/** What an event says about a payment; null for the types that are not used here. */
export function readStripeEvent(event: StripeEvent): Reading | null {
  const [family, kind, ...rest] = event.type.split('.')
  if (family === 'checkout' && kind === 'session') return readSessionEvent(event, rest.join('.'))
  if (event.type === 'charge.refunded' || event.type === 'charge.succeeded') return readCharge(event)
  if (family === 'charge' && kind === 'dispute') return readDispute(event, rest.join('.'))
  return null
}

function readSessionEvent(event: StripeEvent, name: string): Reading | null {
  const session = event.object
  const claim = sessionClaim(session, event.livemode)
  const reading = { ...sessionIdentity(session), eventType: event.type }
  if (name === 'completed' || name === 'async_payment_succeeded') {
    const status = text(session, 'payment_status')
    if (status === 'paid') return { ...reading, claim, observation: { kind: 'paid' } }
    if (status === 'unpaid')
      return { ...reading, claim: saidOnly(claim), observation: { kind: 'processing' } }
    return { ...reading, claim: { ...saidOnly(claim), outcome: 'unclear' }, observation: null }
  }
  if (name === 'async_payment_failed')
    return { ...reading, claim: saidOnly(claim), observation: { kind: 'failed' } }
  if (name === 'expired') return { ...reading, claim: saidOnly(claim), observation: { kind: 'expired' } }
  return null
}

const sessionIdentity = (session: Json) => ({
  paymentId: text(session, 'client_reference_id'),
  sessionId: text(session, 'id'),
  paymentIntent: reference(session, 'payment_intent'),
  receiptUrl: null,
})

/** `eventLivemode`: the mode of the message around the session, which must agree with it. */
function sessionClaim(session: Json, eventLivemode: boolean | null): Claim {
  const own = flag(session, 'livemode')
  return {
    sessionId: text(session, 'id'),
    amountCents: whole(session, 'amount_total'),
    currency: text(session, 'currency')?.toUpperCase() ?? null,
    livemode: own !== null && eventLivemode !== null && own !== eventLivemode ? null : (own ?? eventLivemode),
    uid: text(field(session, 'metadata'), 'userId'),
  }
}

function readCharge(event: StripeEvent): Reading {
  const charge = event.object
  const refunded = event.type === 'charge.refunded'
  return {
    ...chargeIdentity(charge),
    claim: saidOnly({ livemode: event.livemode, currency: text(charge, 'currency')?.toUpperCase() ?? null }),
    observation: refunded ? { kind: 'refunded', refundedCents: whole(charge, 'amount_refunded') ?? 0 } : null,
    receiptUrl: text(charge, 'receipt_url'),
    eventType: refunded ? event.type : null,
  }
}

const chargeIdentity = (charge: Json) => ({
  paymentId: text(field(charge, 'metadata'), 'paymentId'),
  sessionId: null,
  paymentIntent: reference(charge, 'payment_intent'),
})

const DISPUTE_EVENTS = new Set(['created', 'updated', 'funds_withdrawn', 'funds_reinstated', 'closed'])

function readDispute(event: StripeEvent, name: string): Reading | null {
  if (!DISPUTE_EVENTS.has(name)) return null
  const dispute = event.object
  const charge = field(dispute, 'charge')
  const own = chargeIdentity(dispute)
  return {
    paymentId: own.paymentId ?? text(field(charge, 'metadata'), 'paymentId'),
    sessionId: null,
    paymentIntent: own.paymentIntent ?? reference(charge, 'payment_intent'),
    claim: saidOnly({ livemode: event.livemode, currency: text(dispute, 'currency')?.toUpperCase() ?? null }),
    observation: {
      kind: 'disputed',
      disputeId: text(dispute, 'id') ?? 'unnamed',
      dispute: {
        phase: disputePhase(name, text(dispute, 'status')),
        // a dispute that names no sum is about all of it
        amountCents: whole(dispute, 'amount') ?? Number.MAX_SAFE_INTEGER,
        at: event.created,
      },
    },
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
 * What a session fetched from Stripe says, with `payment_intent.latest_charge` expanded: the same words as its events,
 * for those that never reached us.
 */
export function readSession(session: Json): Reading[] {
  const claim = sessionClaim(session, null)
  const identity = { ...sessionIdentity(session), eventType: null }
  const intent = field(session, 'payment_intent')
  const observation = sessionObservation(session, intent)
  if (observation === null) return []
  const isPaid = observation.kind === 'paid'
  const readings: Reading[] = [{ ...identity, claim: isPaid ? claim : saidOnly(claim), observation }]
  const charge = field(intent, 'latest_charge')
  if (isPaid && charge !== null) {
    const refundedCents = whole(charge, 'amount_refunded') ?? 0
    readings.push({
      ...identity,
      claim: null,
      observation: { kind: 'refunded', refundedCents },
      receiptUrl: text(charge, 'receipt_url'),
    })
  }
  return readings
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
