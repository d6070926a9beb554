import { CreditsAdded, isReturning } from '@prelude/contracts'
import { gatheredInTx, type Tx } from '@prelude/platform'
import type { Journal } from '../domain/journals.ts'

/** An account under the transaction's lock, hundredths. `version` grows with every change of balance or debt. */
export interface LockedAccount {
  readonly uid: string
  readonly balanceCents: number
  readonly debtCents: number
  readonly version: number
}

/** `replayed`: this kind and key was posted before, nothing is written. `insufficient`: nor is it then, so that it can come again. */
export type Posting =
  | { readonly outcome: 'applied'; readonly account: LockedAccount }
  | { readonly outcome: 'replayed'; readonly account: LockedAccount }
  | { readonly outcome: 'insufficient'; readonly missingCents: number; readonly account: LockedAccount }

export interface Ledger {
  /** Locks the person's account until the transaction ends; opens it on first touch, whatever the route. */
  lockAccount(tx: Tx, uid: string): Promise<LockedAccount>
  /** Locks as `lockAccount` does, then writes the journal: the only way to change a balance. One round trip. */
  post(tx: Tx, journal: Journal): Promise<Posting>
}

interface PostingRow {
  outcome: 'locked' | Posting['outcome']
  missing_cents: number | null
  opened_with_cents: number | null
  balance_cents: number
  debt_cents: number
  version: number
}

/** `startingCreditsCents` is what a new account is opened with, unless its person had one before. */
export function createLedger(startingCreditsCents: number): Ledger {
  const startingFor = (uid: string): number => (isReturning(uid) ? 0 : startingCreditsCents)
  return {
    lockAccount: async (tx, uid) => {
      const { rows } = await tx.query<PostingRow>('select * from lock_account($1, $2)', [
        uid,
        startingFor(uid),
      ])
      return accountOf(tx, uid, rows[0])
    },
    post: async (tx, journal) => {
      const row = await postRow(tx, { ...journal, startingCreditsCents: startingFor(journal.uid) })
      const account = accountOf(tx, journal.uid, row)
      if (row.outcome === 'insufficient')
        return { outcome: row.outcome, missingCents: row.missing_cents ?? 0, account }
      return { outcome: row.outcome === 'applied' ? row.outcome : 'replayed', account }
    },
  }
}

const postRow = gatheredInTx(
  async (tx: Tx, journals: readonly (Journal & { startingCreditsCents: number })[]) => {
    const heads = journals.map(({ lines: _lines, startingCreditsCents, ...head }) => ({
      ...head,
      starting_cents: startingCreditsCents,
    }))
    const lines = journals.flatMap((journal, i) =>
      journal.lines.map(({ account, amountCents }) => ({ place: i + 1, account, cents: amountCents })),
    )
    const { rows } = await tx.query<PostingRow & { place: number }>('select * from post_journals($1, $2)', [
      JSON.stringify(heads),
      JSON.stringify(lines),
    ])
    return rows.toSorted((one, other) => one.place - other.place)
  },
)

/** An account that was opened just now tells of its starting credits before anything else. */
function accountOf(tx: Tx, uid: string, row: PostingRow | undefined): LockedAccount {
  if (!row) throw new Error('the ledger did not answer')
  const opened = row.opened_with_cents ?? 0
  if (opened > 0) {
    const starting = { amount: opened, reason: 'starting', reference: null, balance: opened, version: 1 }
    tx.emit(CreditsAdded, { uid, ...starting })
  }
  return { uid, balanceCents: row.balance_cents, debtCents: row.debt_cents, version: row.version }
}

/** What each credits event says of the account after its posting. */
export const after = (account: LockedAccount): { balance: number; version: number } => ({
  balance: account.balanceCents,
  version: account.version,
})
