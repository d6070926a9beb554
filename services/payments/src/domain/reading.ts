import type { Observation } from './facts.ts'

/** The statement of a provider's message about one of our payments, in one form for all providers. */
export interface Reading {
  /** How to find the payment, best first. */
  readonly paymentId: string | null
  readonly sessionId: string | null
  readonly paymentIntent: string | null
  /** Fields that must equal the stored checkout before the observations count; null where nothing can be compared. */
  readonly claim: Claim | null
  readonly observations: readonly Observation[]
  readonly receiptUrl: string | null
  /** The type that the person's success page reads; null for messages about something beside the payment. */
  readonly eventType: string | null
  /** The refund of ours that the provider has made. */
  readonly refund?: { readonly id: string; readonly providerRefundId: string }
  /** The reason for a mail to the operator, sent once. */
  readonly alarm?: string
}

/** A field that is left out is not compared; null means that the message should have contained it. */
export interface Claim {
  readonly sessionId?: string | null
  readonly amountCents?: number | null
  readonly currency?: string | null
  readonly livemode?: boolean | null
  readonly uid?: string | null
  readonly outcome?: 'unclear'
}

/** The stored checkout, as far as a claim is compared with it. */
interface Expected {
  readonly sessionId: string | null
  readonly amountCents: number | null
  readonly currency: string
  readonly livemode: boolean
  readonly uid: string
}

type Mismatch = 'session' | 'amount' | 'currency' | 'livemode' | 'person' | 'payment_status'

/** The first thing that does not match, or null. Money is credited only for exactly what was asked for. */
export function mismatchOf(expected: Expected, claim: Claim): Mismatch | null {
  const differs = <T>(said: T | null | undefined, asked: T): boolean => said !== undefined && said !== asked
  if (expected.sessionId !== null && differs(claim.sessionId, expected.sessionId)) return 'session'
  if (differs(claim.livemode, expected.livemode)) return 'livemode'
  if (differs(claim.uid, expected.uid)) return 'person'
  if (differs(claim.currency, expected.currency)) return 'currency'
  if (differs(claim.amountCents, expected.amountCents)) return 'amount'
  return claim.outcome === 'unclear' ? 'payment_status' : null
}

/** Of a lenient message: a field that it does not have is not compared. */
export const saidOnly = (claim: Claim): Claim =>
  Object.fromEntries(Object.entries(claim).filter(([, value]) => value !== null))

/** A checkout whose time is over, when the provider does not state it. */
export const expired = (paymentId: string): Reading => ({
  paymentId,
  sessionId: null,
  paymentIntent: null,
  claim: null,
  observations: [{ kind: 'expired' }],
  receiptUrl: null,
  eventType: null,
})
