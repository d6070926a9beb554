-- All entries of a journal are written by one statement, so they are looked at once for all when it ends.
create function assert_balanced_entries() returns trigger language plpgsql as $$
begin
  if exists (select from written group by journal_id having sum(amount_cents) <> 0) then
    raise exception 'the entries of a journal do not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create trigger entry_balanced_as_written after insert on entry
  referencing new table as written for each statement execute function assert_balanced_entries();
drop trigger entry_balanced on entry;
create constraint trigger entry_balanced after update on entry
  deferrable initially deferred for each row execute function assert_balanced_journal();

-- The answer to the journal at a place, counted from 1.
create type placed_posting as (
  place bigint,
  outcome text,
  missing_cents bigint,
  opened_with_cents bigint,
  balance_cents bigint,
  debt_cents bigint,
  version bigint
);

-- Posts journals, the plain ones by one statement: those that are the only one of their person here, find the account open
-- and the credits there, and were not posted before. Then the others, one after the other in the order of their places.
-- The answers come in any order. What is compared with one value at a time, and not joined, stays a look-up by index,
-- whatever the plan was made for.
create function post_journals(journals jsonb, lines jsonb) returns setof placed_posting language plpgsql as $$
declare
  people constant text[] := array(select uid from jsonb_to_recordset(journals) as given (uid text));
  -- an account that is opened by another transaction at this moment is not among them
  locked constant text[] := array(select uid from account where uid = any(people) order by uid for update);
  posted bigint[] := '{}';
  answer placed_posting;
  one record;
begin
  for answer in
    with given as (
      select *, count(*) over (partition by uid) = 1 as is_alone
      from rows from (jsonb_to_recordset(journals) as (uid text, kind text, key text, reason text, reference text, note text))
        with ordinality as given (uid, kind, key, reason, reference, note, place)
    ),
    line as materialized (
      select * from jsonb_to_recordset(lines) as line (place bigint, account text, cents bigint)
    ),
    change as (
      select place,
        sum(case account when 'person:' || uid then cents else 0 end) as person_cents,
        sum(case account when 'receivable:' || uid then cents else 0 end) as receivable_cents
      from line join given using (place) group by place
    ),
    plain as materialized (
      select given.*, change.person_cents, change.receivable_cents, uuidv7() as id
      from given join change using (place) join account a using (uid)
      where a.uid = any(locked) and is_alone and a.balance_cents + change.person_cents >= 0
        and (change.person_cents <> 0 or change.receivable_cents <> 0)
        and (select true from journal j where j.kind = given.kind and j.key = given.key) is null
    ),
    written as (
      insert into journal (id, kind, key, uid, reference, note) select id, kind, key, uid, reference, note from plain
    ),
    changed as (
      update account a
      set balance_cents = a.balance_cents + plain.person_cents,
          debt_cents = a.debt_cents - plain.receivable_cents,
          version = a.version + 1
      from plain where a.uid = any(locked) and a.uid = plain.uid
      returning plain.place, a.balance_cents, a.debt_cents, a.version
    ),
    entered as (
      insert into entry (journal_id, account, amount_cents, balance_after_cents, reason)
      select plain.id, account, cents, case account when 'person:' || uid then changed.balance_cents end, reason
      from line join plain using (place) join changed using (place)
    )
    select place, 'applied', null::bigint, null::bigint, balance_cents, debt_cents, version from changed
  loop
    posted := posted || answer.place;
    return next answer;
  end loop;

  if cardinality(posted) = cardinality(people) then return; end if;
  for one in
    select *
    from rows from (jsonb_to_recordset(journals) as (
      uid text, starting_cents bigint, kind text, key text, reason text, reference text, note text
    )) with ordinality as given (uid, starting_cents, kind, key, reason, reference, note, place)
    where place <> all(posted) order by place
  loop
    return query select one.place, answered.* from post(
      one.uid, one.starting_cents, one.kind, one.key, one.reason, one.reference, one.note,
      array(select account from jsonb_to_recordset(lines) as line (place bigint, account text) where line.place = one.place),
      array(select cents from jsonb_to_recordset(lines) as line (place bigint, cents bigint) where line.place = one.place)
    ) answered;
  end loop;
end $$;
