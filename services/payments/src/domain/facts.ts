import type { PaymentStatus } from '@prelude/contracts'

/**
 * What a provider has told about a payment, as a set that only grows: messages come twice, late and in any order,
 * and every order of the same messages must end in the same facts.
 */
export interface Facts {
  readonly paid: boolean
  readonly processing: boolean
  readonly failed: boolean
  readonly expired: boolean
  /** The provider counts refunds up, so the highest number is the newest. */
  readonly refundedCents: number
  readonly disputes: Readonly<Record<string, Dispute>>
}

/** `taken` and `lost` hold the money, `inquiry` does not yet, `returned` no longer. */
export type DisputePhase = 'inquiry' | 'taken' | 'lost' | 'returned'

export interface Dispute {
  readonly phase: DisputePhase
  readonly amountCents: number
  /** Seconds since the epoch, by the provider's clock. */
  readonly at: number
}

export type Observation =
  | { readonly kind: 'paid' | 'processing' | 'failed' | 'expired' }
  | { readonly kind: 'refunded'; readonly refundedCents: number }
  | { readonly kind: 'disputed'; readonly disputeId: string; readonly dispute: Dispute }

export const NO_FACTS: Facts = {
  paid: false,
  processing: false,
  failed: false,
  expired: false,
  refundedCents: 0,
  disputes: {},
}

/** Adds what a message says. Commutative, associative and idempotent. */
export function observe(facts: Facts, seen: Observation): Facts {
  if (seen.kind === 'refunded')
    return { ...facts, refundedCents: Math.max(facts.refundedCents, seen.refundedCents) }
  if (seen.kind === 'disputed') {
    const known = facts.disputes[seen.disputeId]
    const dispute = known === undefined || isLater(seen.dispute, known) ? seen.dispute : known
    return { ...facts, disputes: { ...facts.disputes, [seen.disputeId]: dispute } }
  }
  return { ...facts, [seen.kind]: true }
}

// A closed dispute stays closed whatever arrives late; an appeal can still turn "lost" into "returned", by time.
const STAGE: Record<DisputePhase, number> = { inquiry: 0, taken: 1, lost: 2, returned: 2 }

function isLater(a: Dispute, b: Dispute): boolean {
  if (STAGE[a.phase] !== STAGE[b.phase]) return STAGE[a.phase] > STAGE[b.phase]
  if (a.at !== b.at) return a.at > b.at
  if (a.phase !== b.phase) return a.phase === 'returned'
  return a.amountCents > b.amountCents
}

export interface Sums {
  readonly amountCents: number
  readonly creditsCents: number
}

export interface Standing {
  readonly status: PaymentStatus
  readonly refundedCents: number
  /** Credits that must be taken back now, in hundredths. */
  readonly reversedCents: number
}

/** What follows from the facts. Nothing is refunded or reversed before the payment is known to be paid. */
export function standing(facts: Facts, sums: Sums): Standing {
  if (!facts.paid) return { status: unpaidStatus(facts), refundedCents: 0, reversedCents: 0 }
  const refundedCents = Math.min(facts.refundedCents, sums.amountCents)
  const disputedCents = Object.values(facts.disputes)
    .filter(({ phase }) => phase === 'taken' || phase === 'lost')
    .reduce((sum, { amountCents }) => sum + amountCents, 0)
  const goneCents = Math.min(refundedCents + disputedCents, sums.amountCents)
  return {
    status: refundedCents === sums.amountCents ? 'refunded' : disputedCents > 0 ? 'disputed' : 'paid',
    refundedCents,
    reversedCents: Math.floor((sums.creditsCents * goneCents) / sums.amountCents),
  }
}

function unpaidStatus(facts: Facts): PaymentStatus {
  if (facts.failed) return 'failed'
  if (facts.processing) return 'processing'
  return facts.expired ? 'expired' : 'open'
}

/** What was already told to the ledger. */
export interface Told {
  readonly succeeded: boolean
  readonly reversedCents: number
  readonly reversalCount: number
}

export interface News {
  readonly succeeded: boolean
  /** Hundredths to take back (positive) or to give again (negative). */
  readonly reversalCents: number
  readonly told: Told
}

/** The difference between what stands and what the ledger was told. */
export function newsFor(told: Told, now: Standing): News {
  const isPaid = now.status === 'paid' || now.status === 'refunded' || now.status === 'disputed'
  const reversalCents = now.reversedCents - told.reversedCents
  return {
    succeeded: isPaid && !told.succeeded,
    reversalCents,
    told: {
      succeeded: told.succeeded || isPaid,
      reversedCents: now.reversedCents,
      reversalCount: told.reversalCount + (reversalCents === 0 ? 0 : 1),
    },
  }
}

/** The ledger takes each reversal once by this id. */
export const reversalId = (paymentId: string, count: number): string => `${paymentId}:${count}`
