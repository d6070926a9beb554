/** What the provider knows of one payment, in the plainest words. Sums are cents; one cent buys one hundredth of a credit. */
export interface Truth {
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'rejected'
  readonly amountCents: number
  /** Refunds that stand, oldest first. */
  readonly refunds: number[]
  readonly disputes: { readonly cents: number; phase: 'taken' | 'returned' | 'lost' }[]
}

export const openTruth = (amountCents: number): Truth => ({
  state: 'open',
  amountCents,
  refunds: [],
  disputes: [],
})

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

export const leftCents = ({ amountCents, refunds }: Truth): number => amountCents - sum(refunds)

/** What the person's credits must be short of: money that went back or is held by a bank. */
export const goneCents = (truth: Truth): number =>
  Math.min(
    truth.amountCents,
    sum(truth.refunds) +
      sum(truth.disputes.filter(({ phase }) => phase !== 'returned').map(({ cents }) => cents)),
  )

/** What the product must say of it once it has handled all messages. */
export function expectedOf(truth: Truth): { status: string; refundedCents: number } {
  const refundedCents = sum(truth.refunds)
  if (truth.state !== 'paid') return { status: truth.state, refundedCents: 0 }
  if (refundedCents === truth.amountCents) return { status: 'refunded', refundedCents }
  const isDisputed = truth.disputes.some(({ phase }) => phase !== 'returned')
  return { status: isDisputed ? 'disputed' : 'paid', refundedCents }
}

/** What an act that the provider did makes true. */
export const DONE: Readonly<Record<string, (truth: Truth, cents: number) => void>> = {
  pay: (truth) => {
    truth.state = 'paid'
  },
  pay_later: (truth) => {
    truth.state = 'processing'
  },
  settle: (truth) => {
    truth.state = 'paid'
  },
  fail: (truth) => {
    truth.state = 'failed'
  },
  expire: (truth) => {
    truth.state = 'expired'
  },
  refund: (truth, cents) => {
    truth.refunds.push(cents)
  },
  'fail-refund': (truth) => {
    truth.refunds.pop()
  },
  dispute: (truth) => {
    truth.disputes.push({ cents: leftCents(truth), phase: 'taken' })
  },
  reinstate: (truth) => endDispute(truth, 'returned'),
  lose: (truth) => endDispute(truth, 'lost'),
}

function endDispute({ disputes }: Truth, phase: 'returned' | 'lost'): void {
  const open = disputes.find((one) => one.phase === 'taken')
  if (open) open.phase = phase
}
