import type { Account, AccountEntry } from '@prelude/contracts'
import type { Query } from '@prelude/platform'
import { receivable } from '../domain/journals.ts'

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
interface PlacedEntry {
  readonly position: number
  readonly entry: AccountEntry
}

interface EntryRow {
  position: number
  id: string
  amount_cents: number
  balance_after_cents: number
  owed_cents: number
  reason: AccountEntry['reason']
  reference: string | null
  created_at: number
}

/**
 * Newest first, those before `position` if given. A journal that changes the debt alone has a line too, with an amount of 0:
 * a payment that was reversed after all of it was spent.
 */
export async function readEntries(
  query: Query,
  uid: string,
  page: { before: number | null; limit: number },
): Promise<PlacedEntry[]> {
  const { rows } = await query.query<EntryRow>(
    `with person_entry as (
       select e.id, e.journal_id, e.reason, e.amount_cents, e.balance_after_cents from entry e
       where e.account = $1 and e.id < $3 order by e.id desc limit $4
     ), debt_entry as (
       select e.id, e.journal_id, e.reason, 0::bigint as amount_cents,
              coalesce((select p.balance_after_cents from entry p where p.account = $1 and p.id < e.id
                        order by p.id desc limit 1), 0) as balance_after_cents
       from entry e
       where e.account = $2 and e.id < $3
         and not exists (select from entry p where p.journal_id = e.journal_id and p.account = $1)
       order by e.id desc limit $4
     )
     select e.id as position, j.id, e.amount_cents, e.balance_after_cents, e.reason, j.reference,
            coalesce(-r.amount_cents, 0) as owed_cents,
            floor(extract(epoch from j.created_at) * 1000)::bigint as created_at
     from (table person_entry union all table debt_entry) e
     join journal j on j.id = e.journal_id
     left join entry r on r.journal_id = e.journal_id and r.account = $2
     order by e.id desc limit $4`,
    [`person:${uid}`, receivable(uid), page.before ?? Number.MAX_SAFE_INTEGER, page.limit],
  )
  return rows.map((row) => ({
    position: row.position,
    entry: {
      id: row.id,
      amountCents: row.amount_cents,
      balanceAfterCents: row.balance_after_cents,
      owedCents: row.owed_cents,
      reason: row.reason,
      reference: row.reference,
      createdAt: row.created_at,
    },
  }))
}
