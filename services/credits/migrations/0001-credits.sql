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

-- The lines of the journals: those of one journal sum to zero. Append-only.
create table entry (
  -- assigned under the person's lock, so that it orders a person's entries
  id bigint generated always as identity,
  journal_id uuid not null references journal (id),
  account text not null,
  amount_cents bigint not null check (amount_cents <> 0),
  balance_after_cents bigint check (balance_after_cents >= 0),
  reason text not null,
  -- a person's statement
  primary key (account, id),
  unique (journal_id, account),
  check ((balance_after_cents is not null) = starts_with(account, 'person:'))
);

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
