import type { Invariant } from '@prelude/platform'

/** The rules that hold after every commit, with concurrent, failed and repeated events. Each query lists the breaches. */
export const creditsInvariants: readonly Invariant[] = [
  {
    name: 'the entries of a journal sum to zero',
    of: 'journal',
    sql: `select journal_id, sum(amount_cents) as cents from entry group by journal_id having sum(amount_cents) <> 0`,
  },
  {
    name: 'all entries sum to zero',
    of: 'entry',
    sql: `select sum(amount_cents) as cents from entry having sum(amount_cents) <> 0`,
  },
  {
    name: 'every balance is the sum of its entries',
    of: 'account',
    sql: `select coalesce('person:' || a.uid, e.account) as account, a.balance_cents, e.cents
          from account a
          full join (select account, sum(amount_cents) as cents from entry
                     where starts_with(account, 'person:') group by account) e on e.account = 'person:' || a.uid
          where a.uid is null or a.balance_cents <> coalesce(e.cents, 0)`,
  },
  {
    name: 'every debt is what the receivable entries say',
    of: 'account',
    sql: `select coalesce('receivable:' || a.uid, e.account) as account, a.debt_cents, e.cents
          from account a
          full join (select account, -sum(amount_cents) as cents from entry
                     where starts_with(account, 'receivable:') group by account) e on e.account = 'receivable:' || a.uid
          where a.uid is null or a.debt_cents <> coalesce(e.cents, 0)`,
  },
  {
    name: 'no payment is owed less than nothing',
    of: "entry where starts_with(account, 'receivable:')",
    sql: `select e.account, j.reference, sum(e.amount_cents) as cents
          from entry e join journal j on j.id = e.journal_id
          where starts_with(e.account, 'receivable:') group by e.account, j.reference having sum(e.amount_cents) > 0`,
  },
  {
    name: 'no balance and no debt is below zero',
    of: 'account',
    sql: `select uid, balance_cents, debt_cents from account where balance_cents < 0 or debt_cents < 0`,
  },
  {
    name: 'nobody has credits and a debt at once',
    of: 'account',
    sql: `select uid, balance_cents, debt_cents from account where balance_cents > 0 and debt_cents > 0`,
  },
  {
    name: 'every entry of a person states the balance after it',
    of: "entry where starts_with(account, 'person:')",
    sql: `select id, account, balance_after_cents, running from (
            select id, account, balance_after_cents,
                   sum(amount_cents) over (partition by account order by id) as running
            from entry where starts_with(account, 'person:')) chain
          where balance_after_cents is distinct from running or running < 0`,
  },
  {
    name: 'the version of an account counts what changed it',
    of: 'account',
    sql: `select a.uid, a.version, coalesce(c.changes, 0) as changes from account a
          left join (select j.uid, count(distinct j.id) as changes from journal j join entry e on e.journal_id = j.id
                     where e.account in ('person:' || j.uid, 'receivable:' || j.uid) group by j.uid) c on c.uid = a.uid
          where a.version <> coalesce(c.changes, 0)`,
  },
  {
    name: 'a song is charged at most once and refunded at most once',
    of: "entry where account = 'sales'",
    sql: `select j.reference, count(*) filter (where e.amount_cents > 0) as charges,
                 count(*) filter (where e.amount_cents < 0) as refunds
          from journal j join entry e on e.journal_id = j.id where e.account = 'sales' group by j.reference
          having count(*) filter (where e.amount_cents > 0) <> 1
              or count(*) filter (where e.amount_cents < 0) > 1 or sum(e.amount_cents) < 0`,
  },
  {
    name: 'a payment is credited at most once',
    of: "entry where starts_with(account, 'person:') and reason in ('top_up', 'transfer')",
    sql: `select j.reference, count(*) as credits from journal j join entry e on e.journal_id = j.id
          where starts_with(e.account, 'person:') and e.reason in ('top_up', 'transfer')
          group by j.reference having count(*) > 1`,
  },
  {
    name: 'no song waits while the credits for it are there',
    of: 'waiting_song where closed_at is null',
    sql: `select w.song_id, w.uid, w.price_cents, a.balance_cents from waiting_song w join account a using (uid)
          where w.closed_at is null and a.balance_cents >= w.price_cents`,
  },
  {
    name: 'a song waits if and only if it is neither charged nor a gift',
    of: 'waiting_song',
    sql: `select w.song_id, w.uid, w.closed_as, j.note from waiting_song w
          left join journal j on j.kind = 'song' and j.key = w.song_id
          where (w.closed_as is null and j.id is not null)
             or (w.closed_as = 'charged' and (j.id is null or j.note is not null))
             or (w.closed_as in ('gift', 'closed') and j.note is distinct from w.closed_as)`,
  },
  {
    name: 'the newest event of an account states its balance and version',
    of: 'account',
    sql: `select a.uid, a.balance_cents, a.version, e.balance, e.version as emitted
          from account a
          join (select distinct on (key) key, (data ->> 'balance')::bigint as balance, (data ->> 'version')::bigint as version
                from event order by key, position desc) e on e.key = a.uid
          where (a.balance_cents, a.version) is distinct from (e.balance, e.version)`,
  },
  {
    name: 'every entry of a person has one event, and every event has its entry',
    of: "entry where starts_with(account, 'person:')",
    // once events are removed from the log, accounts older than the oldest event are not checked
    sql: `select o.key, o.events, o.cents as emitted, e.entries, e.cents
          from (select key, count(sign) as events, coalesce(sum(sign * (data ->> 'amount')::bigint), 0) as cents
                from event left join (values ('CreditsAdded', 1), ('CreditsRefunded', 1), ('CreditsTaken', -1), ('CreditsCharged', -1))
                  as money (type, sign) using (type)
                where (select removed from event_removal) = 0 or key in (
                  select uid from account
                  where extract(epoch from created_at) * 1000 > (select at from event order by position limit 1))
                group by key) o
          left join (select substr(account, 8) as uid, count(*) as entries, sum(amount_cents) as cents
                     from entry where starts_with(account, 'person:') group by 1) e on e.uid = o.key
          where (o.events, o.cents) is distinct from (coalesce(e.entries, 0), coalesce(e.cents, 0))`,
  },
]
