import { creditsForKobo, fromCents } from '@prelude/contracts'
import { inCents } from '../../text/amount.ts'
import type { PersonAccount } from '@prelude/contracts'

/** What the operator's dialogs say about money: decimals as in the API, counted in integer hundredths. */

type Account = Pick<PersonAccount, 'balance' | 'debt'>

/** The balance after credits were given, of which the debt takes its part first, or taken (negative). */
export function balanceAfter({ balance, debt }: Account, credits: number): number {
  const added = inCents(credits)
  return fromCents(inCents(balance) + added - Math.max(0, Math.min(inCents(debt), added)))
}

/** What a naira transfer buys. */
export const creditsForNaira = (naira: number): number => fromCents(creditsForKobo(inCents(naira)))

/** What is left to refund of a payment. */
export const refundable = (payment: { amount: number | null; refundedAmount: number }): number =>
  fromCents(inCents(payment.amount ?? 0) - inCents(payment.refundedAmount))

/** A dollar that goes back takes a credit; what is spent already becomes a debt. */
export function afterRefund({ balance, debt }: Account, dollars: number): { owed: number; debt: number } {
  const owedCents = Math.max(0, inCents(dollars) - inCents(balance))
  return { owed: fromCents(owedCents), debt: fromCents(inCents(debt) + owedCents) }
}
