-- The embedded bus: a durable log a topic, and how far each consumer group has come.
create table topic (
  name text primary key,
  last_position bigint not null default 0
);

create table event (
  topic text not null,
  position bigint not null,
  key text not null,
  value text not null,
  published_at timestamptz not null default now(),
  primary key (topic, position)
);
create index event_published_at on event (published_at);

create table consumer_cursor (
  consumer_group text not null,
  topic text not null references topic (name),
  position bigint not null default 0,
  primary key (consumer_group, topic)
);

-- Positions are drawn under the topic's row lock, held to commit: a reader at position n has seen all before it.
create function publish(to_topic text, keys text[], payloads text[]) returns bigint language plpgsql as $$
declare
  last bigint;
  many integer := coalesce(array_length(keys, 1), 0);
begin
  update topic set last_position = last_position + many where name = to_topic returning last_position into last;
  if not found then raise exception 'topic % does not exist', to_topic; end if;
  insert into event (topic, position, key, value)
    select to_topic, last - many + place, key, payload
    from unnest(keys, payloads) with ordinality as message (key, payload, place);
  return last;
end $$;
