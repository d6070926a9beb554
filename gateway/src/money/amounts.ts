import {
  fromCents,
  toCents,
  TOP_UP_ABOVE_CENTS,
  TOP_UP_MAX_CENTS,
  TRANSFER_MIN_KOBO,
} from '@prelude/contracts'
import { AppError } from '@prelude/platform'

/** An amount of main units, hundredths inside. Errors: invalid_amount for anything but a finite number with at most two decimals. */
function centsOf(amount: unknown): number {
  const cents = typeof amount === 'number' && Number.isFinite(amount) ? toCents(amount) : null
  if (cents === null) throw new AppError('invalid_amount')
  return cents
}

/** US dollars of a top-up. Errors, in this order: invalid_amount, amount_too_low, amount_too_high, invalid_amount. */
export function topUpCents(amount: unknown): number {
  if (typeof amount !== 'number' || !Number.isFinite(amount)) throw new AppError('invalid_amount')
  if (amount <= fromCents(TOP_UP_ABOVE_CENTS)) throw new AppError('amount_too_low')
  if (amount > fromCents(TOP_UP_MAX_CENTS)) throw new AppError('amount_too_high')
  return centsOf(amount)
}

/** Naira of a bank transfer. Errors: invalid_amount, amount_too_low. */
export function transferKobo(amount: unknown): number {
  const kobo = centsOf(amount)
  if (kobo < TRANSFER_MIN_KOBO) {
    const least = fromCents(TRANSFER_MIN_KOBO).toLocaleString('en')
    throw new AppError('amount_too_low', { detail: `A transfer must be at least ${least} Naira.` })
  }
  return kobo
}

/** Credits added or taken by hand. Errors: invalid_amount. */
export function adjustmentCents(amount: unknown): number {
  const cents = centsOf(amount)
  if (cents === 0) throw new AppError('invalid_amount')
  return cents
}

/** More than nothing. Errors: invalid_amount. */
export function positiveCents(amount: unknown): number {
  const cents = centsOf(amount)
  if (cents <= 0) throw new AppError('invalid_amount')
  return cents
}
