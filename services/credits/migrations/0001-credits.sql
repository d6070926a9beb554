-- The double-entry ledger, and the songs that wait for credits. Amounts are integer hundredths of a credit.
--
-- The account of an entry is person:{uid} (credits that the person has), receivable:{uid} (negative: what the person owes),
-- or one of the product's own (sales, card_clearing, …), which have no row, so that no two postings wait for each other there.

-- A person's account. The lock of its row orders everything that happens to the person's credits.
create table account (
  uid text primary key,
  balance_cents bigint not null default 0 check (balance_cents >= 0),
  -- the part of reversed payments that was already spent
  debt_cents bigint not null default 0 check (debt_cents >= 0),
  -- grows with every posting that changes the balance or the debt
  version bigint not null default 0,
  created_at timestamptz not null default now()
) with (fillfactor = 50); -- room on the page for the row's next version: a change of balance updates no index
-- the operator's list of debtors, largest debt first
create index account_in_debt on account (debt_cents desc, uid) where debt_cents > 0;

-- One thing that happened, once per (kind, key): a repeated command finds its journal here. Append-only.
create table journal (
  id uuid primary key default uuidv7(),
  kind text not null,
  key text not null,
  uid text not null,
  -- the song or payment that it is about
  reference text,
  note text,
  created_at timestamptz not null default clock_timestamp(),
  unique (kind, key)
);
-- all journals about a song or payment
create index journal_reference on journal (reference) where reference is not null;

-- The lines of the journals: those of one journal sum to zero. Append-only.
create table entry (
  -- assigned under the person's lock, so that it orders a person's entries
  id bigint generated always as identity primary key,
  journal_id uuid not null references journal (id),
  account text not null,
  amount_cents bigint not null check (amount_cents <> 0),
  balance_after_cents bigint check (balance_after_cents >= 0),
  reason text not null,
  unique (journal_id, account),
  check ((balance_after_cents is not null) = starts_with(account, 'person:'))
);
-- a person's statement
create index entry_account on entry (account, id);

-- All entries of a journal are inserted by one statement, so its balance is checked once, at the end of that statement.
-- Inserts are all there is to check: the service's role may neither update nor delete entries.
create function assert_balanced_entries() returns trigger language plpgsql as $$
begin
  if exists (select from written group by journal_id having sum(amount_cents) <> 0) then
    raise exception 'the entries of a journal do not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create trigger entry_balanced after insert on entry
  referencing new table as written for each statement execute function assert_balanced_entries();

-- Songs that wait, or waited, for credits. A song that was charged at once is never inserted here.
create table waiting_song (
  song_id text primary key,
  uid text not null,
  -- the order in which they are charged: that of the requests
  position bigint generated always as identity,
  requested_at timestamptz not null,
  closed_at timestamptz,
  closed_as text check (closed_as in ('charged', 'gift', 'closed', 'erased')),
  check ((closed_at is null) = (closed_as is null))
);
-- a person's songs that still wait, in the order in which they are charged
create index waiting_song_open on waiting_song (uid, position) where closed_at is null;

-- People whose account was closed. Their accounts and entries stay, under a uid that leads to no name; no song of theirs
-- waits for credits any more.
create table closed_account (
  uid text primary key,
  closed_at timestamptz not null default now()
);

-- The answer of post and lock_account: the account as it is now, and what it was opened with if this call opened it.
create type posting as (
  outcome text,
  missing_cents bigint,
  opened_with_cents bigint,
  balance_cents bigint,
  debt_cents bigint,
  version bigint
);

-- Locks the person's account until the transaction ends. The first call for a person opens the account, with the starting
-- credits. No exception blocks here or in post: a savepoint that rolls back would release the lock.
create function lock_account(person_uid text, starting_cents bigint) returns posting language plpgsql as $$
declare
  answer posting;
begin
  select a.balance_cents, a.debt_cents, a.version
    into answer.balance_cents, answer.debt_cents, answer.version
    from account a where a.uid = person_uid for update;
  if not found then
    insert into account (uid) values (person_uid) on conflict do nothing;
    if not found then -- another transaction opened it meanwhile, and has committed
      return lock_account(person_uid, starting_cents);
    end if;
    if starting_cents > 0 then
      answer := post(person_uid, 0, 'starting', person_uid, 'starting', null, null,
        array['starting', 'person:' || person_uid], array[-starting_cents, starting_cents]);
    else
      answer.balance_cents := 0;
      answer.debt_cents := 0;
      answer.version := 0;
    end if;
    answer.opened_with_cents := starting_cents;
  end if;
  answer.outcome := 'locked';
  return answer;
end $$;

-- The one function that writes to the ledger. outcome: applied; replayed (a journal of this kind and key exists);
-- insufficient (the balance would fall below zero by missing_cents; nothing is written). A journal without lines only
-- takes its key.
create function post(
  person_uid text,
  starting_cents bigint,
  journal_kind text,
  journal_key text,
  entry_reason text,
  journal_reference text,
  journal_note text,
  line_accounts text[],
  line_amounts bigint[]
) returns posting language plpgsql as $$
declare
  answer posting := lock_account(person_uid, starting_cents);
  person_account constant text := 'person:' || person_uid;
  person_cents bigint;
  receivable_cents bigint;
  new_journal uuid;
begin
  if exists (select from journal where kind = journal_kind and key = journal_key) then
    answer.outcome := 'replayed';
    return answer;
  end if;

  select coalesce(sum(amount) filter (where name = person_account), 0),
         coalesce(sum(amount) filter (where name = 'receivable:' || person_uid), 0)
    into person_cents, receivable_cents
    from unnest(line_accounts, line_amounts) as line (name, amount);
  if answer.balance_cents + person_cents < 0 then
    answer.outcome := 'insufficient';
    answer.missing_cents := -(answer.balance_cents + person_cents);
    return answer;
  end if;

  insert into journal (kind, key, uid, reference, note)
    values (journal_kind, journal_key, person_uid, journal_reference, journal_note)
    returning id into new_journal;
  if person_cents <> 0 or receivable_cents <> 0 then
    update account a
      set balance_cents = a.balance_cents + person_cents,
          debt_cents = a.debt_cents - receivable_cents,
          version = a.version + 1
      where a.uid = person_uid
      returning a.balance_cents, a.debt_cents, a.version
      into answer.balance_cents, answer.debt_cents, answer.version;
  end if;
  insert into entry (journal_id, account, amount_cents, balance_after_cents, reason)
    select new_journal, name, amount, case when name = person_account then answer.balance_cents end, entry_reason
    from unnest(line_accounts, line_amounts) as line (name, amount);
  answer.outcome := 'applied';
  return answer;
end $$;

-- Posts journals in one round trip; the answers come in the order given. Accounts are locked in the order of their uids,
-- so that of two batches with the same people one waits for the other and neither deadlocks. Journals of one person are
-- posted in the order given.
create function post_all(journals jsonb) returns setof posting language plpgsql as $$
declare
  answers posting[];
  journal jsonb;
  place bigint;
begin
  for journal, place in
    select value, ordinality from jsonb_array_elements(journals) with ordinality order by value ->> 'uid', ordinality
  loop
    answers[place] := post(
      journal ->> 'uid',
      (journal ->> 'startingCents')::bigint,
      journal ->> 'kind',
      journal ->> 'key',
      journal ->> 'reason',
      journal ->> 'reference',
      journal ->> 'note',
      array(select line ->> 'account' from jsonb_array_elements(journal -> 'lines') line),
      array(select (line ->> 'amountCents')::bigint from jsonb_array_elements(journal -> 'lines') line)
    );
  end loop;
  return query select * from unnest(answers);
end $$;
