import { type Journal, person, receivable } from './journals.ts'

/** An account under the transaction's lock, hundredths. `version` grows with every change of balance or debt. */
export interface LockedAccount {
  readonly uid: string
  readonly balanceCents: number
  readonly debtCents: number
  readonly version: number
}

/**
 * `replayed`: a journal of this kind and key exists, nothing is written. `insufficient`: the balance would fall below zero by
 * `missingCents`; nothing is written either, so the same journal can be posted later. `account` is as it is afterwards.
 */
export type Posting =
  | { readonly outcome: 'applied'; readonly account: LockedAccount }
  | { readonly outcome: 'replayed'; readonly account: LockedAccount }
  | { readonly outcome: 'insufficient'; readonly missingCents: number; readonly account: LockedAccount }

/** The rule of money: what a journal that was never posted does to the account of its person. */
export function decide(account: LockedAccount, { uid, lines }: Journal): Posting {
  const amountOf = (name: string): number =>
    lines.reduce((sum, line) => (line.account === name ? sum + line.amountCents : sum), 0)
  const [creditsCents, owedCents] = [amountOf(person(uid)), amountOf(receivable(uid))]
  const balanceCents = account.balanceCents + creditsCents
  if (balanceCents < 0) return { outcome: 'insufficient', missingCents: -balanceCents, account }
  if (creditsCents === 0 && owedCents === 0) return { outcome: 'applied', account }
  const debtCents = account.debtCents - owedCents
  return { outcome: 'applied', account: { uid, balanceCents, debtCents, version: account.version + 1 } }
}
