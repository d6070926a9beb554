import type { PaymentStatus } from '@prelude/contracts'

/**
 * The statements of a provider about a payment, as a set that only grows: messages come twice, late and in any order, and
 * every order of the same messages must end in the same facts.
 */
export interface Facts {
  readonly paid: boolean
  readonly processing: boolean
  readonly failed: boolean
  readonly expired: boolean
  /** Sums of all refunds of the payment, as the provider stated them, each with its time. */
  readonly refundSums: readonly RefundSum[]
  /** By the provider's id. */
  readonly refunds: Readonly<Record<string, Refund>>
  readonly disputes: Readonly<Record<string, Dispute>>
}

interface RefundSum {
  readonly cents: number
  /** Seconds since the epoch, by the provider's clock. */
  readonly at: number
}

export interface Refund {
  readonly amountCents: number
  /** When the money came back after all, in seconds since the epoch by the provider's clock; null while it has not. */
  readonly failedAt: number | null
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
  | { readonly kind: 'refunded'; readonly sum: RefundSum }
  | { readonly kind: 'refund'; readonly refundId: string; readonly refund: Refund }
  | { readonly kind: 'disputed'; readonly disputeId: string; readonly dispute: Dispute }

export const NO_FACTS: Facts = {
  paid: false,
  processing: false,
  failed: false,
  expired: false,
  refundSums: [],
  refunds: {},
  disputes: {},
}

/** Adds an observation. Commutative, associative and idempotent. */
export function observe(facts: Facts, seen: Observation): Facts {
  if (seen.kind === 'refunded') return { ...facts, refundSums: withSum(facts.refundSums, seen.sum) }
  if (seen.kind === 'refund') {
    const refund = merged(seen.refund, facts.refunds[seen.refundId])
    return { ...facts, refunds: { ...facts.refunds, [seen.refundId]: refund } }
  }
  if (seen.kind === 'disputed') {
    const known = facts.disputes[seen.disputeId]
    const dispute = known === undefined || isLater(seen.dispute, known) ? seen.dispute : known
    return { ...facts, disputes: { ...facts.disputes, [seen.disputeId]: dispute } }
  }
  return { ...facts, [seen.kind]: true }
}

const withSum = (sums: readonly RefundSum[], sum: RefundSum): readonly RefundSum[] =>
  sums.some(({ cents, at }) => cents === sum.cents && at === sum.at)
    ? sums
    : [...sums, sum].toSorted((a, b) => a.at - b.at || a.cents - b.cents)

/** A refund that failed never succeeds any more: the next try is another refund. */
const merged = (a: Refund, b: Refund = a): Refund => ({
  amountCents: Math.max(a.amountCents, b.amountCents),
  failedAt: earliest(a.failedAt, b.failedAt),
})

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

// A closed dispute stays closed whatever arrives late; an appeal can still turn "lost" into "returned", by time.
const STAGE: Record<DisputePhase, number> = { inquiry: 0, taken: 1, lost: 2, returned: 2 }

function isLater(a: Dispute, b: Dispute): boolean {
  if (STAGE[a.phase] !== STAGE[b.phase]) return STAGE[a.phase] > STAGE[b.phase]
  if (a.at !== b.at) return a.at > b.at
  if (a.phase !== b.phase) return a.phase === 'returned'
  return a.amountCents > b.amountCents
}

interface Sums {
  readonly amountCents: number
  readonly creditsCents: number
}

interface Standing {
  readonly status: PaymentStatus
  readonly refundedCents: number
  /** Credits that must be taken back now, in hundredths. */
  readonly reversedCents: number
}

/** The status and sums that follow from the facts. Nothing is refunded or reversed before the payment is paid. */
export function standing(facts: Facts, sums: Sums): Standing {
  if (!facts.paid) return { status: unpaidStatus(facts), refundedCents: 0, reversedCents: 0 }
  const refundedCents = Math.min(refundedOf(facts), sums.amountCents)
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

/**
 * The sum of the refunds that did not fail. A provider states single refunds and sums, and may leave out either: the result
 * is the total of the single ones, or a stated sum less those that failed after it, whichever is the largest.
 */
function refundedOf({ refundSums, refunds }: Facts): number {
  const cents = (wanted: (refund: Refund) => boolean): number =>
    Object.values(refunds)
      .filter(wanted)
      .reduce((sum, { amountCents }) => sum + amountCents, 0)
  const bySums = refundSums.map(
    (sum) => sum.cents - cents(({ failedAt }) => failedAt !== null && failedAt >= sum.at),
  )
  return Math.max(
    cents(({ failedAt }) => failedAt === null),
    ...bySums,
  )
}

function unpaidStatus(facts: Facts): PaymentStatus {
  if (facts.failed) return 'failed'
  if (facts.processing) return 'processing'
  return facts.expired ? 'expired' : 'open'
}

/** The part of a payment that the ledger has events about. */
export interface Reported {
  readonly succeeded: boolean
  readonly reversedCents: number
  readonly reversalCount: number
}

export interface News {
  readonly succeeded: boolean
  /** Hundredths to take back (positive) or to give again (negative). */
  readonly reversalCents: number
  /** The new state, to be stored with the events. */
  readonly reported: Reported
}

/** The difference between the facts and the events that the ledger has. */
export function newsFor(reported: Reported, now: Standing): News {
  const isPaid = now.status === 'paid' || now.status === 'refunded' || now.status === 'disputed'
  const reversalCents = now.reversedCents - reported.reversedCents
  return {
    succeeded: isPaid && !reported.succeeded,
    reversalCents,
    reported: {
      succeeded: reported.succeeded || isPaid,
      reversedCents: now.reversedCents,
      reversalCount: reported.reversalCount + (reversalCents === 0 ? 0 : 1),
    },
  }
}

/** The ledger takes each reversal once by this id. */
export const reversalId = (paymentId: string, count: number): string => `${paymentId}:${count}`
