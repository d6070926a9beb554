import type { Account, AccountEntry } from '@prelude/contracts'
import type { Query } from '@prelude/platform'

const COLUMNS = 'uid, balance_cents, debt_cents, version'

interface AccountRow {
  uid: string
  balance_cents: number
  debt_cents: number
  version: number
}

/** The accounts that exist among these people, as they are now, unlocked. */
export async function readAccounts(query: Query, uids: readonly string[]): Promise<Account[]> {
  const { rows } = await query.query<AccountRow>(`select ${COLUMNS} from account where uid = any($1)`, [uids])
  return rows.map(accountOf)
}

/** Accounts in debt, largest debt first, after the one with this debt and uid. */
export async function readDebtors(
  query: Query,
  page: { after: readonly [debtCents: number, uid: string] | null; limit: number },
): Promise<Account[]> {
  const { rows } = await query.query<AccountRow>(
    `select ${COLUMNS} from account
     where debt_cents > 0
       and ($1::bigint is null or debt_cents < $1::bigint or (debt_cents = $1::bigint and uid > $2::text))
     order by debt_cents desc, uid limit $3`,
    [page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
  )
  return rows.map(accountOf)
}

const accountOf = (row: AccountRow): Account => ({
  uid: row.uid,
  balanceCents: row.balance_cents,
  debtCents: row.debt_cents,
  version: row.version,
})

/** A line of the statement, and its position for the cursor. */
export interface PlacedEntry {
  readonly position: number
  readonly entry: AccountEntry
}

interface EntryRow {
  position: number
  id: string
  amount_cents: number
  balance_after_cents: number
  reason: AccountEntry['reason']
  reference: string | null
  created_at: number
}

/** Newest first, those before `position` if given. */
export async function readEntries(
  query: Query,
  uid: string,
  page: { before: number | null; limit: number },
): Promise<PlacedEntry[]> {
  const { rows } = await query.query<EntryRow>(
    `select e.id as position, j.id, e.amount_cents, e.balance_after_cents, e.reason, j.reference,
            floor(extract(epoch from j.created_at) * 1000)::bigint as created_at
     from entry e join journal j on j.id = e.journal_id
     where e.account = 'person:' || $1::text and ($2::bigint is null or e.id < $2::bigint)
     order by e.id desc limit $3`,
    [uid, page.before, page.limit],
  )
  return rows.map((row) => ({
    position: row.position,
    entry: {
      id: row.id,
      amountCents: row.amount_cents,
      balanceAfterCents: row.balance_after_cents,
      reason: row.reason,
      reference: row.reference,
      createdAt: row.created_at,
    },
  }))
}
