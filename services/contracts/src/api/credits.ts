import { type Static, Type } from 'typebox'
import { defineApi, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'

/** The public balance: decimals, and a version that grows with every change. */
export const Credits = Type.Object({ balance: Type.Number(), version: Type.Integer() })
export type Credits = Static<typeof Credits>

/** What a person owes: credits of a payment that was reversed after they were spent. The next credits settle it. */
export const Debt = Type.Object({ debt: Type.Number() })
export type Debt = Static<typeof Debt>

export const EntryReason = OneOf(
  'starting',
  'top_up',
  'transfer',
  'song',
  'refund',
  'adjustment',
  'payment_reversed',
  'payment_reinstated',
  'debt_settled',
)

/** One line of the public statement; `amount` is negative when credits were taken. */
export const StatementEntry = Type.Object({
  id: Type.String(),
  amount: Type.Number(),
  balanceAfter: Type.Number(),
  /** By how much the debt grew; negative when it shrank. The sum of a reversed payment is `amount` less this. */
  owed: Type.Optional(Type.Number()),
  reason: EntryReason,
  reference: Nullable(Type.String()),
  createdAt: Time,
})
export type StatementEntry = Static<typeof StatementEntry>

/** An account inside the product: hundredths. `debtCents` is what a reversal could not take back (decision on debts). */
export const Account = Type.Object({
  uid: Type.String(),
  balanceCents: Type.Integer(),
  debtCents: Type.Integer(),
  version: Type.Integer(),
})
export type Account = Static<typeof Account>

export const AccountEntry = Type.Object({
  id: Type.String(),
  amountCents: Type.Integer(),
  balanceAfterCents: Type.Integer(),
  /** By how much the debt grew; negative when it shrank. */
  owedCents: Type.Integer(),
  reason: EntryReason,
  reference: Nullable(Type.String()),
  createdAt: Time,
})
export type AccountEntry = Static<typeof AccountEntry>

export const creditsApi = defineApi({
  /** Opens the account on first touch. */
  account: { method: 'GET', path: '/accounts/:uid', reply: Account },
  /** The accounts that exist among these uids. */
  accounts: {
    method: 'POST',
    path: '/accounts/batch',
    body: Type.Object({ uids: Type.Array(Type.String()) }),
    reply: Type.Object({ items: Type.Array(Account) }),
  },
  /** Those who owe, most first. Errors: invalid_cursor. */
  debts: { method: 'GET', path: '/debts', query: Type.Object(PageQuery), reply: Page(Account) },
  /** Errors: invalid_cursor. */
  entries: {
    method: 'GET',
    path: '/accounts/:uid/entries',
    query: Type.Object(PageQuery),
    reply: Page(AccountEntry),
  },
  /** By hand, also negative; `:id` makes it happen once. Errors: insufficient_credits. */
  adjust: {
    method: 'PUT',
    path: '/adjustments/:id',
    body: Type.Object({ uid: Type.String(), amountCents: Type.Integer(), reason: Type.String() }),
    reply: Account,
  },
})
