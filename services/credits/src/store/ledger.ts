import { CreditsAdded, isReturning } from '@prelude/contracts'
import type { Tx } from '@prelude/platform'
import type { Journal } from '../domain/journals.ts'

/** An account under the transaction's lock, hundredths. `version` grows with every change of balance or debt. */
export interface LockedAccount {
  readonly uid: string
  readonly balanceCents: number
  readonly debtCents: number
  readonly version: number
}

/**
 * `replayed`: a journal of this kind and key exists, nothing is written. `insufficient`: nothing is written either, so the
 * same journal can be posted later.
 */
export type Posting =
  | { readonly outcome: 'applied'; readonly account: LockedAccount }
  | { readonly outcome: 'replayed'; readonly account: LockedAccount }
  | { readonly outcome: 'insufficient'; readonly missingCents: number; readonly account: LockedAccount }

export interface Ledger {
  /** Locks the person's account until the transaction ends; the first call for a person opens it. */
  lockAccount(tx: Tx, uid: string): Promise<LockedAccount>
  /** Locks as `lockAccount` does, then writes the journal: the only way to change a balance. */
  post(tx: Tx, journal: Journal): Promise<Posting>
  /**
   * `post` for many journals in one round trip, answered in the order given. All accounts are locked in the order of their
   * uids, so that two transactions with the same people do not deadlock.
   */
  postAll(tx: Tx, journals: readonly Journal[]): Promise<Posting[]>
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

  const query = async (tx: Tx, journals: readonly Journal[]): Promise<PostingRow[]> => {
    const given = journals.map((journal) => ({ ...journal, startingCents: startingFor(journal.uid) }))
    return (await tx.query<PostingRow>('select * from post_all($1)', [JSON.stringify(given)])).rows
  }
  return {
    lockAccount: async (tx, uid) => {
      const { rows } = await tx.query<PostingRow>('select * from lock_account($1, $2)', [
        uid,
        startingFor(uid),
      ])
      return accountOf(tx, uid, rows[0])
    },
    post: async (tx, journal) => {
      const [row] = await query(tx, [journal])
      return postingOf(tx, journal.uid, row)
    },
    postAll: async (tx, journals) => {
      const rows = await query(tx, journals)
      return journals.map(({ uid }, i) => postingOf(tx, uid, rows[i]))
    },
  }
}

function postingOf(tx: Tx, uid: string, row: PostingRow | undefined): Posting {
  const account = accountOf(tx, uid, row)
  if (row?.outcome === 'insufficient')
    return { outcome: 'insufficient', missingCents: row.missing_cents ?? 0, account }
  return { outcome: row?.outcome === 'applied' ? 'applied' : 'replayed', account }
}

/** An account that this call opened emits its starting credits first. */
function accountOf(tx: Tx, uid: string, row: PostingRow | undefined): LockedAccount {
  if (!row) throw new Error('the ledger did not answer')
  const opened = row.opened_with_cents ?? 0
  if (opened > 0) {
    const starting = { amount: opened, reason: 'starting', reference: null, balance: opened, version: 1 }
    tx.emit(CreditsAdded, { uid, ...starting })
  }
  return { uid, balanceCents: row.balance_cents, debtCents: row.debt_cents, version: row.version }
}

/** The part of every credits event that states the account after its posting. */
export const after = (account: LockedAccount): { balance: number; version: number } => ({
  balance: account.balanceCents,
  version: account.version,
})
