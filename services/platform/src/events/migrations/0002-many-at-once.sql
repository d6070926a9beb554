-- Many events at a time: what a busy minute writes is counted in index entries and round trips, not in rows.

-- What the relay has yet to send. A row of its own here, so that sending an event never rewrites the event.
create table outbox_unsent (
  id bigint primary key,
  key text not null
);
insert into outbox_unsent select id, key from outbox where published_at is null;
drop index outbox_unpublished;
drop index outbox_published;
alter table outbox drop column published_at;
alter table outbox drop constraint outbox_event_id_key;

-- Lock the keys first, in order, and draw the ids after that: an id drawn before the lock can commit out of order. The sort
-- below stands between the two.
create or replace function outbox_emit(events jsonb) returns void language plpgsql as $$
begin
  with emitted as (
    select event.*, row_number() over (partition by event.key order by place) as nth, count(*) over (partition by event.key) as many
    from rows from (jsonb_to_recordset(events) as (
      event_id uuid, topic text, key text, type text, version integer, at bigint, correlation_id text, data jsonb
    )) with ordinality as event (event_id, topic, key, type, version, at, correlation_id, data, place)
  ),
  numbered as (
    insert into outbox_key as k (key, last_seq)
    select key, many from emitted where nth = 1 order by key
    on conflict (key) do update set last_seq = k.last_seq + excluded.last_seq
    returning key, last_seq
  ),
  written as (
    insert into outbox (event_id, topic, key, seq, type, version, at, correlation_id, data)
    select event_id, topic, key, last_seq - many + nth, type, version, at, correlation_id, data
    from emitted join numbered using (key)
    order by key, nth
    returning id, key
  )
  insert into outbox_unsent select id, key from written;
end $$;

-- Raises the marks of many keys, each from the event before its first to its last. False when one of them does not go on from
-- its mark, or is parked: then the transaction has to be rolled back, and each event taken by itself.
create function inbox_take_runs(event_topic text, keys text[], firsts bigint[], lasts bigint[]) returns boolean
language plpgsql as $$
declare
  taken bigint;
begin
  with run as (select * from unnest(keys, firsts, lasts) as run (key, first, last)),
  raised as (
    update inbox mark set seq = run.last from run
    where mark.topic = event_topic and mark.key = run.key and mark.seq = run.first - 1 and not mark.parked
    returning mark.key
  ),
  opened as (
    insert into inbox (topic, key, seq)
    select event_topic, run.key, run.last from run
    where not exists (select from inbox mark where mark.topic = event_topic and mark.key = run.key)
    on conflict do nothing
    returning key
  )
  select (select count(*) from raised) + (select count(*) from opened) into taken;
  return taken = cardinality(keys);
end $$;
