import type { Code } from '@prelude/contracts'
import { AppError } from '@prelude/platform'

interface Refundable {
  readonly method: string
  readonly status: string
  readonly amountCents: number | null
  readonly refundedCents: number
}

/** Errors: invalid_amount, not_paid, refund_too_high. */
export function assertRefundable(payment: Refundable, amountCents: number): void {
  if (amountCents < 1) throw new AppError('invalid_amount')
  if (payment.method !== 'card')
    throw new AppError('not_paid', { detail: 'Only a card payment can be refunded here.' })
  if (payment.status === 'disputed')
    throw new AppError('not_paid', { detail: 'This payment is disputed: its money is with the bank.' })
  if (payment.status !== 'paid' && payment.status !== 'refunded') throw new AppError('not_paid')
  if (amountCents > (payment.amountCents ?? 0) - payment.refundedCents) throw new AppError('refund_too_high')
}

/** The code for the operator of a final refusal by the provider; null when there is none. */
export function refusalOf(reason: string | null): Code | null {
  if (reason === 'charge_already_refunded' || reason === 'amount') return 'refund_too_high'
  if (reason === 'charge_disputed') return 'not_paid'
  return null
}
