import { CreditsAdded, isReturning } from '@prelude/contracts'
import { type Clock, newId, type Tx } from '@prelude/platform'
import { type Journal, starting } from '../domain/journals.ts'
import { decide, type LockedAccount, type Posting } from '../domain/posting.ts'

export type { LockedAccount, Posting } from '../domain/posting.ts'

export interface Ledger {
  /** Locks the person's account until the transaction ends; the first call for a person opens it. */
  lockAccount(tx: Tx, uid: string): Promise<LockedAccount>
  /** Locks as `lockAccount` does, then writes the journal: the only way to change a balance. */
  post(tx: Tx, journal: Journal): Promise<Posting>
  /**
   * `post` for many journals in one round trip and that of the commit, decided one after the other and answered in the order
   * given. Accounts that exist are locked in the order of their uids, so that two transactions with the same people do not
   * deadlock; one that deadlocks with the opening of an account runs again.
   */
  postAll(tx: Tx, journals: readonly Journal[]): Promise<Posting[]>
  /** The time of what is posted now. */
  now(): number
}

/** `startingCreditsCents` is what a new account is opened with, unless its person had one before. */
export function createLedger(startingCreditsCents: number, clock: Clock): Ledger {
  const { now } = clock
  const lockAll = (tx: Tx, uids: readonly string[], journals: readonly Journal[] = []): Promise<Locked> =>
    lockAccounts(tx, { uids, journals }, startingCreditsCents, now())

  const postAll = async (tx: Tx, journals: readonly Journal[]): Promise<Posting[]> => {
    const uids = [...new Set(journals.map(({ uid }) => uid))]
    const [accounts, known] = await lockAll(tx, uids, journals)
    const applied: Applied[] = []
    const postings = journals.map((journal): Posting => {
      const account = accountIn(accounts, journal.uid)
      if (known.has(nameOf(journal))) return { outcome: 'replayed', account }
      const posting = decide(account, journal)
      if (posting.outcome !== 'applied') return posting
      known.add(nameOf(journal))
      accounts.set(journal.uid, posting.account)
      applied.push({ journal, account: posting.account })
      return posting
    })
    write(tx, applied, now())
    return postings
  }

  return {
    lockAccount: async (tx, uid) => accountIn((await lockAll(tx, [uid]))[0], uid),
    post: async (tx, journal) => {
      const [posting] = await postAll(tx, [journal])
      if (!posting) throw new Error('the ledger did not answer')
      return posting
    },
    postAll,
    now,
  }
}

function accountIn(accounts: ReadonlyMap<string, LockedAccount>, uid: string): LockedAccount {
  const account = accounts.get(uid)
  if (!account) throw new Error('an account was not opened')
  return account
}

/** `known`: the names of those of the journals that were posted before. */
type Locked = readonly [accounts: Map<string, LockedAccount>, known: Set<string>]

/** Accounts that are missing are opened with the starting credits, which are an event of their own. */
async function lockAccounts(
  tx: Tx,
  { uids, journals }: { uids: readonly string[]; journals: readonly Journal[] },
  startingCents: number,
  now: number,
): Promise<Locked> {
  const lock = () => Promise.all([selectAccounts(tx, uids), knownJournals(tx, journals)])
  const found = await lock()
  if (found[0].size === uids.length) return found
  const [opened, [accounts, known]] = await Promise.all([openAccounts(tx, uids, now), lock()])
  const applied: Applied[] = []
  for (const uid of opened) {
    if (startingCents === 0 || isReturning(uid)) continue
    const journal = starting(uid, startingCents)
    const { account } = decide(accountIn(accounts, uid), journal)
    accounts.set(uid, account)
    applied.push({ journal, account })
    const { reason, reference } = journal
    tx.emit(CreditsAdded, { uid, amount: startingCents, reason, reference, ...after(account) })
  }
  write(tx, applied, now)
  return [accounts, known]
}

/** Answers the uids whose accounts this call has opened. Waits for an account that another transaction is opening. */
async function openAccounts(tx: Tx, uids: readonly string[], now: number): Promise<string[]> {
  const { rows } = await tx.query<{ uid: string }>(
    `insert into account (uid, created_at)
     select uid, to_timestamp($2 / 1000.0) from unnest($1::text[]) as uid where not exists (select from account where account.uid = uid.uid) order by uid
     on conflict do nothing returning uid`,
    [uids, now],
  )
  return rows.map(({ uid }) => uid)
}

/** Sees what another transaction opened while `openAccounts`, the statement before it, waited. */
async function selectAccounts(tx: Tx, uids: readonly string[]): Promise<Map<string, LockedAccount>> {
  const { rows } = await tx.query<LockedAccount>(
    `select uid, balance_cents as "balanceCents", debt_cents as "debtCents", version
     from account where uid = any($1) order by uid for update`,
    [uids],
  )
  return new Map(rows.map((account) => [account.uid, account]))
}

const nameOf = ({ kind, key }: Pick<Journal, 'kind' | 'key'>): string => `${kind} ${key}`

/** Read under the locks of their accounts, by a statement of its own: it sees what was posted while the one before it waited for them. */
async function knownJournals(tx: Tx, journals: readonly Journal[]): Promise<Set<string>> {
  if (journals.length === 0) return new Set()
  const { rows } = await tx.query<Pick<Journal, 'kind' | 'key'>>(
    `select kind, key from unnest($1::text[], $2::text[]) as given (kind, key) join journal using (kind, key)`,
    [journals.map(({ kind }) => kind), journals.map(({ key }) => key)],
  )
  return new Set(rows.map(nameOf))
}

/** A journal, and its person's account after it. */
interface Applied {
  readonly journal: Journal
  readonly account: LockedAccount
}

/** One statement. The numbers of the entries are drawn under the locks, so that they order a person's entries. */
function write(tx: Tx, applied: readonly Applied[], now: number): void {
  if (applied.length === 0) return
  const posted = applied.map(({ journal, account }) => ({
    id: newId(),
    ...journal,
    balance: account.balanceCents,
  }))
  const accounts = new Map(applied.map(({ account }) => [account.uid, account]))
  tx.execute(
    `with posted as (
       select * from rows from (json_to_recordset($1) as (id uuid, kind text, key text, uid text, reference text, note text,
         reason text, lines json, balance bigint)) with ordinality
     ), new_journal as (
       insert into journal (id, kind, key, uid, reference, note, created_at)
       select id, kind, key, uid, reference, note, to_timestamp($3 / 1000.0) from posted
     ), new_entry as (
       insert into entry (journal_id, account, amount_cents, balance_after_cents, reason)
       select id, account, cents, case when account = 'person:' || uid then balance end, reason
       from posted cross join rows from (json_to_recordset(lines) as (account text, "amountCents" bigint))
         with ordinality as line (account, cents, place)
       order by ordinality, place
     )
     update account set balance_cents = new."balanceCents", debt_cents = new."debtCents", version = new.version
     from json_to_recordset($2) as new (uid text, "balanceCents" bigint, "debtCents" bigint, version bigint)
     where account.uid = new.uid and account.version <> new.version`,
    [JSON.stringify(posted), JSON.stringify([...accounts.values()]), now],
  )
}

/** The part of every credits event that states the account after its posting. */
export const after = (account: LockedAccount): { balance: number; version: number } => ({
  balance: account.balanceCents,
  version: account.version,
})
