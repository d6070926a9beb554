-- What every service has in its own schema: events to send, marks of events received, and events that could not be handled.

-- The number of the last event of a key. Its row lock, held to commit, is what keeps a key's events in order.
create table outbox_key (
  key text primary key,
  last_seq bigint not null
);

create table outbox (
  id bigint generated always as identity primary key,
  event_id uuid not null unique,
  topic text not null,
  key text not null,
  seq bigint not null,
  type text not null,
  version integer not null,
  at bigint not null,
  correlation_id text not null,
  data jsonb not null,
  published_at timestamptz,
  unique (topic, key, seq)
);
create index outbox_unpublished on outbox (id) where published_at is null;
create index outbox_published on outbox (published_at) where published_at is not null;

-- Keys whose next event the bus refused for good; others flow on.
create table outbox_blocked (
  key text primary key,
  outbox_id bigint not null references outbox (id) on delete cascade,
  reason text not null,
  blocked_at timestamptz not null default now()
);

-- Lock the key first and draw the id after it: an id drawn before the lock can commit out of order.
create function outbox_emit(events jsonb) returns void language plpgsql as $$
declare
  event jsonb;
  drawn bigint;
begin
  for event in
    select value from jsonb_array_elements(events) with ordinality order by value ->> 'key', ordinality
  loop
    insert into outbox_key (key, last_seq) values (event ->> 'key', 1)
      on conflict (key) do update set last_seq = outbox_key.last_seq + 1
      returning last_seq into drawn;
    insert into outbox (event_id, topic, key, seq, type, version, at, correlation_id, data)
      values ((event ->> 'event_id')::uuid, event ->> 'topic', event ->> 'key', drawn, event ->> 'type',
              (event ->> 'version')::integer, (event ->> 'at')::bigint, event ->> 'correlation_id', event -> 'data');
  end loop;
end $$;

-- The last event of a key that this service has handled.
create table inbox (
  topic text not null,
  key text not null,
  seq bigint not null,
  parked boolean not null default false,
  primary key (topic, key)
) with (fillfactor = 70);

-- next: the mark is raised, do the effect in this transaction; done: seen before; gap: something is missing before it;
-- parked: an earlier event of the key waits in dead_letter. A key without a mark starts at the first event seen.
create function inbox_take(event_topic text, event_key text, event_seq bigint) returns text language plpgsql as $$
declare
  mark record;
begin
  update inbox set seq = event_seq
    where topic = event_topic and key = event_key and seq = event_seq - 1 and not parked;
  if found then return 'next'; end if;
  insert into inbox (topic, key, seq) values (event_topic, event_key, event_seq) on conflict do nothing;
  if found then return 'next'; end if;
  select seq, parked into mark from inbox where topic = event_topic and key = event_key for update;
  if event_seq <= mark.seq then return 'done'; end if;
  if mark.parked then return 'parked'; end if;
  if event_seq > mark.seq + 1 then return 'gap'; end if;
  update inbox set seq = event_seq where topic = event_topic and key = event_key;
  return 'next';
end $$;

create table dead_letter (
  id bigint generated always as identity primary key,
  topic text not null,
  key text not null,
  seq bigint,
  type text,
  value text not null,
  error text not null,
  at timestamptz not null default now(),
  replay_requested_at timestamptz,
  resolved_at timestamptz,
  resolution text,
  unique (topic, key, seq)
);
create index dead_letter_open on dead_letter (topic, key, id) where resolved_at is null;
