-- The span that emitted an event, for who handles it to go on from; null unless traces are on.
alter table outbox add column traceparent text;

create or replace function outbox_emit(events jsonb) returns void language plpgsql as $$
begin
  with emitted as (
    select event.*, row_number() over (partition by event.key order by place) as nth, count(*) over (partition by event.key) as many
    from rows from (jsonb_to_recordset(events) as (
      event_id uuid, topic text, key text, type text, version integer, at bigint, correlation_id text, traceparent text,
      data jsonb
    )) with ordinality as event
      (event_id, topic, key, type, version, at, correlation_id, traceparent, data, place)
  ),
  numbered as (
    insert into outbox_key as k (key, last_seq)
    select key, many from emitted where nth = 1 order by key
    on conflict (key) do update set last_seq = k.last_seq + excluded.last_seq
    returning key, last_seq
  ),
  written as (
    insert into outbox (event_id, topic, key, seq, type, version, at, correlation_id, traceparent, data)
    select event_id, topic, key, last_seq - many + nth, type, version, at, correlation_id, traceparent, data
    from emitted join numbered using (key)
    order by key, nth
    returning id, key
  )
  insert into outbox_unsent select id, key from written;
end $$;
