-- What every service has in its own schema: the log of its events, how far it has handled the logs of others, the events that
-- it could not handle, and what its running processes report of themselves.

-- The log of all events that this service emits: outbox and topic at once. Append-only; read in the order of `position`.
create table event (
  -- drawn in append_events alone; numbers are missing where a transaction was rolled back
  position bigint generated always as identity primary key,
  id uuid not null,
  -- the uid of the person that it is about
  key text not null,
  type text not null,
  version integer not null,
  -- ms since the epoch
  at bigint not null,
  correlation_id text not null,
  -- W3C; null unless traces are on
  traceparent text,
  data jsonb not null
);

-- How many events were removed from the log, so that what consumers count can be compared with what was emitted.
create table event_removal (
  removed bigint not null
);
insert into event_removal values (0);

-- Appends the events of a transaction, in the order of the array. The transaction gets its id before a position is drawn:
-- a reader concludes from "no transaction with a lower id is open" that a missing position will never appear.
create function append_events(events json) returns void language plpgsql as $$
begin
  perform pg_current_xact_id();
  insert into event (id, key, type, version, at, correlation_id, traceparent, data)
    select id, key, type, version, at, "correlationId", traceparent, data
    from rows from (json_to_recordset(events) as (
      id uuid, key text, type text, version integer, at bigint, "correlationId" text, traceparent text, data jsonb
    )) with ordinality as appended (id, key, type, version, at, "correlationId", traceparent, data, place)
    order by place;
end $$;

-- Removes up to `most` of the oldest events that are older than 14 days and that every reader of this log has passed: the
-- forwarder to the bus, or the consumers of all services in this database that read the log itself. (Their cursors are for one
-- partition; those of consumers behind a broker are for more, and hold up nothing.) Answers how many were removed.
-- With the owner's rights, since the service itself may not delete events, or read the cursors of others.
create function remove_old_events(own_topic text, most integer) returns bigint
language plpgsql security definer set search_path from current as $$
declare
  reader name;
  passed bigint;
  gone bigint;
begin
  for reader in select schemaname from pg_tables where tablename = 'cursor' loop
    execute format('select least($1, min(position)) from %I.cursor where topic = $2 and partitions = 1', reader)
      into passed using passed, own_topic;
  end loop;
  delete from event e using (select o.position, o.at from event o order by o.position limit most) oldest
    where e.position = oldest.position and oldest.at < extract(epoch from now() - interval '14 days') * 1000
      and (passed is null or e.position <= passed);
  get diagnostics gone = row_count;
  update event_removal set removed = removed + gone;
  return gone;
end $$;

-- How far this service has handled each topic, moved in the transaction of the effects. A service's row for its own topic is
-- that of its forwarder to the bus.
create table cursor (
  topic text not null,
  partition integer not null,
  -- how many partitions the topic had: with another number keys lie in other partitions, and these positions mean nothing
  partitions integer not null,
  -- every event up to here is handled
  position bigint not null,
  -- how many events were handled
  taken bigint not null default 0,
  primary key (topic, partition)
) with (fillfactor = 50);

-- Events that could not be handled, and those that wait behind them, until somebody has them replayed or discarded.
create table dead_letter (
  id bigint generated always as identity primary key,
  topic text not null,
  key text not null,
  -- null for a message that is no event
  position bigint,
  type text,
  -- the message as it came
  value text not null,
  error text not null,
  at timestamptz not null default now(),
  replay_requested_at timestamptz,
  resolved_at timestamptz,
  resolution text check (resolution in ('replayed', 'discarded')),
  unique (topic, position)
);
-- a message that is no event has no position: it is known by its content when it is delivered again
create unique index dead_letter_unreadable on dead_letter (topic, key, md5(value)) where position is null;
-- the open ones, a key in order
create index dead_letter_open on dead_letter (topic, key, id) where resolved_at is null;

-- Keys with an open dead letter: their later events join it instead of being handled.
create table parked_key (
  topic text not null,
  key text not null,
  parked_at timestamptz not null default now(),
  primary key (topic, key)
);

-- What each running process of this service last reported of itself, so that any of them can answer for all.
create table instance (
  id text primary key,
  -- ms since the epoch
  seen_at bigint not null,
  report jsonb not null
) with (fillfactor = 50);
