-- A double-entry ledger. Amounts are integer hundredths of a credit. An account name in an entry is person:{uid}, what is
-- owed by a person receivable:{uid}, or one of the house's own (sales, card_clearing, …), which have no row to fight over.

-- The row of a person: its lock is what puts all that happens to their credits in one order.
create table account (
  uid text primary key,
  balance_cents bigint not null default 0 check (balance_cents >= 0),
  -- what a reversal could not take back, because it was spent
  debt_cents bigint not null default 0 check (debt_cents >= 0),
  -- grows with every posting that changed the balance or the debt
  version bigint not null default 0,
  created_at timestamptz not null default now()
) with (fillfactor = 70);

-- What happened, once for a (kind, key): a command that comes again finds its journal there.
create table journal (
  id uuid primary key default uuidv7(),
  kind text not null,
  key text not null,
  uid text not null,
  -- the song or payment it is about
  reference text,
  note text,
  created_at timestamptz not null default clock_timestamp(),
  unique (kind, key)
);
create index journal_reference on journal (reference) where reference is not null;

create table entry (
  -- drawn under the person's lock, so that it orders a person's entries
  id bigint generated always as identity primary key,
  journal_id uuid not null references journal (id),
  account text not null,
  amount_cents bigint not null check (amount_cents <> 0),
  balance_after_cents bigint check (balance_after_cents >= 0),
  reason text not null,
  unique (journal_id, account),
  check ((balance_after_cents is not null) = starts_with(account, 'person:'))
);
create index entry_account on entry (account, id);

create function assert_balanced_journal() returns trigger language plpgsql set search_path from current as $$
begin
  if (select sum(amount_cents) from entry where journal_id = new.journal_id) <> 0 then
    raise exception 'the entries of journal % do not sum to zero', new.journal_id using errcode = 'check_violation';
  end if;
  return null;
end $$;

create constraint trigger entry_balanced after insert or update on entry
  deferrable initially deferred for each row execute function assert_balanced_journal();

-- Songs that wait, or waited, for credits. A song that was charged at once never comes here.
create table waiting_song (
  song_id text primary key,
  uid text not null,
  -- the order in which they are charged: that of the requests
  position bigint generated always as identity,
  requested_at timestamptz not null,
  closed_at timestamptz,
  closed_as text check (closed_as in ('charged', 'gift')),
  check ((closed_at is null) = (closed_as is null))
);
create index waiting_song_open on waiting_song (uid, position) where closed_at is null;

-- The answer of post and lock_account: the account as it is now, and what it was opened with if that happened just here.
create type posting as (
  outcome text,
  missing_cents bigint,
  opened_with_cents bigint,
  balance_cents bigint,
  debt_cents bigint,
  version bigint
);

-- Locks the person's row until the transaction ends. Whoever touches a person first opens the account, with the starting
-- credits of that moment. No exception blocks here or in post: a savepoint that rolls back would let the lock go.
create function lock_account(person_uid text, starting_cents bigint) returns posting language plpgsql as $$
declare
  answer posting;
begin
  select a.balance_cents, a.debt_cents, a.version
    into answer.balance_cents, answer.debt_cents, answer.version
    from account a where a.uid = person_uid for update;
  if not found then
    insert into account (uid) values (person_uid) on conflict do nothing;
    if not found then -- somebody else opened it meanwhile, and has committed
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

-- The one way to write to the ledger. outcome: applied; replayed (this kind and key is there already); insufficient (the
-- balance would fall below zero by missing_cents; nothing is written). A journal without lines only takes its key.
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
