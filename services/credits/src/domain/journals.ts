import type { AccountEntry } from '@prelude/contracts'

/**
 * All changes of a person's credits, as double-entry journals: the lines of one sum to zero; a positive amount on `person:`
 * is credits that the person has, a negative one on `receivable:` is debt. Pure.
 */
export interface Journal {
  /** Unique together with `key`: one charge a song, one credit a payment. */
  readonly kind:
    | 'starting'
    | 'song'
    | 'refund'
    | 'payment'
    | 'reversal'
    | 'reinstatement'
    | 'debt'
    | 'adjustment'
    | 'closing'
  readonly key: string
  readonly uid: string
  /** The reason shown on the statement. */
  readonly reason: AccountEntry['reason']
  /** The song or payment it is about. */
  readonly reference: string | null
  readonly note?: string
  readonly lines: readonly Line[]
}

export interface Line {
  readonly account: string
  readonly amountCents: number
}

export const person = (uid: string): string => `person:${uid}`
export const receivable = (uid: string): string => `receivable:${uid}`

/** Amounts of zero make no line. */
const lines = (amounts: Readonly<Record<string, number>>): Line[] =>
  Object.entries(amounts)
    .filter(([, amountCents]) => amountCents !== 0)
    .map(([account, amountCents]) => ({ account, amountCents }))

/** A payment without credits is a bug of its sender: the error parks the event for the operator. */
function positive(creditsCents: number): number {
  if (creditsCents <= 0)
    throw new RangeError(`a payment moves more than ${creditsCents} hundredths of a credit`)
  return creditsCents
}

/** What a new account is opened with. */
export const starting = (uid: string, amountCents: number): Journal => ({
  kind: 'starting',
  key: uid,
  uid,
  reason: 'starting',
  reference: null,
  lines: lines({ starting: -amountCents, [person(uid)]: amountCents }),
})

/** What a song costs goes from the person to sales. */
export const songCharge = (uid: string, songId: string, priceCents: number): Journal => ({
  kind: 'song',
  key: songId,
  uid,
  reason: 'song',
  reference: songId,
  lines: lines({ [person(uid)]: -priceCents, sales: priceCents }),
})

/** Moves nothing, but takes the key of the song's charge: it is never charged later, whichever event comes first. */
export const unpaidSong = (uid: string, songId: string, note: 'gift' | 'closed'): Journal => ({
  kind: 'song',
  key: songId,
  uid,
  reason: 'song',
  reference: songId,
  note,
  lines: [],
})

export const songRefund = (uid: string, songId: string, chargedCents: number): Journal => ({
  kind: 'refund',
  key: songId,
  uid,
  reason: 'refund',
  reference: songId,
  lines: lines({ [person(uid)]: chargedCents, sales: -chargedCents }),
})

const CLEARING: Readonly<Record<string, string>> = {
  naira_transfer: 'transfer_clearing',
  alternate: 'alternate_clearing',
}

export function paymentCredit(payment: {
  uid: string
  paymentId: string
  creditsCents: number
  method: string
}): Journal {
  const { uid, paymentId, method } = payment
  const creditsCents = positive(payment.creditsCents)
  return {
    kind: 'payment',
    key: paymentId,
    uid,
    reason: method === 'naira_transfer' ? 'transfer' : 'top_up',
    reference: paymentId,
    lines: lines({ [person(uid)]: creditsCents, [CLEARING[method] ?? 'card_clearing']: -creditsCents }),
  }
}

/** A refund or dispute, or its opposite. `clearing` is the account the payment came from. */
interface Reversal {
  readonly uid: string
  readonly paymentId: string
  readonly reversalId: string
  readonly creditsCents: number
  readonly clearing: string
}

/** Takes back at most the balance; the rest is a debt that the next credits settle first. */
export function paymentReversal(reversal: Reversal, balanceCents: number): Journal & { takenCents: number } {
  const { uid } = reversal
  const creditsCents = positive(reversal.creditsCents)
  const takenCents = Math.min(balanceCents, creditsCents)
  return {
    kind: 'reversal',
    key: reversal.reversalId,
    uid,
    reason: 'payment_reversed',
    reference: reversal.paymentId,
    lines: lines({
      [person(uid)]: -takenCents,
      [receivable(uid)]: takenCents - creditsCents,
      [reversal.clearing]: creditsCents,
    }),
    takenCents,
  }
}

/** Gives the credits again: the debt that this payment's reversals left is forgiven first, the rest arrives as credits. */
export function paymentReinstatement(
  reversal: Reversal,
  owedForPaymentCents: number,
): Journal & { givenCents: number } {
  const { uid } = reversal
  const creditsCents = positive(reversal.creditsCents)
  const forgivenCents = Math.min(owedForPaymentCents, creditsCents)
  const givenCents = creditsCents - forgivenCents
  return {
    kind: 'reinstatement',
    key: reversal.reversalId,
    uid,
    reason: 'payment_reinstated',
    reference: reversal.paymentId,
    lines: lines({
      [person(uid)]: givenCents,
      [receivable(uid)]: forgivenCents,
      [reversal.clearing]: -creditsCents,
    }),
    givenCents,
  }
}

/** Pays the debt of a payment, as far as the balance goes. `cause` is the journal that brought the credits. */
export function debtSettlement(
  cause: Journal,
  debt: { paymentId: string; owedCents: number },
  balanceCents: number,
): Journal & { paidCents: number } {
  const { uid } = cause
  const paidCents = Math.min(balanceCents, debt.owedCents)
  return {
    kind: 'debt',
    key: `${cause.kind}:${cause.key}:${debt.paymentId}`,
    uid,
    reason: 'debt_settled',
    reference: debt.paymentId,
    lines: lines({ [person(uid)]: -paidCents, [receivable(uid)]: paidCents }),
    paidCents,
  }
}

/** Made by the operator; `note` is the reason. */
export const adjustment = (uid: string, id: string, amountCents: number, note: string): Journal => ({
  kind: 'adjustment',
  key: id,
  uid,
  reason: 'adjustment',
  reference: null,
  note,
  lines: lines({ [person(uid)]: amountCents, adjustments: -amountCents }),
})

/** The balance of an account that is closed. */
export const forfeiture = (uid: string, balanceCents: number): Journal => ({
  kind: 'closing',
  key: uid,
  uid,
  reason: 'adjustment',
  reference: null,
  note: 'account closed',
  lines: lines({ [person(uid)]: -balanceCents, forfeited: balanceCents }),
})

/** A debt of an account that is closed. */
export const debtWriteOff = (uid: string, debt: { paymentId: string; owedCents: number }): Journal => ({
  kind: 'closing',
  key: `${uid}:${debt.paymentId}`,
  uid,
  reason: 'adjustment',
  reference: debt.paymentId,
  note: 'account closed',
  lines: lines({ [receivable(uid)]: debt.owedCents, written_off: -debt.owedCents }),
})
