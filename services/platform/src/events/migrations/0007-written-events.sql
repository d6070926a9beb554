-- Writes the events of a transaction, as outbox_emit does; that one stays for the version before. The caller knows their order:
-- keys stand in ascending order with how many events each has, events in the order of their keys, each with its key's place and
-- which of that key's it is. Answers the ids of the events and the numbers of the keys' last ones, so that who wrote them knows
-- what is sent.
--
-- The first statement locks the keys, and gives this transaction an id that is lower than that of any that begins to write after
-- it has drawn numbers (the relay's floor rests on that); the second draws the ids. An id drawn before the lock can commit out of order.
create function outbox_write(
  keys text[], counts integer[],
  places integer[], nths integer[], event_ids uuid[], topics text[], types text[], versions integer[],
  moment bigint, correlation_ids text[], traceparents text[], datas text[],
  out ids bigint[], out lasts bigint[]
) language plpgsql as $$
begin
  with numbered as (
    insert into outbox_key as k (key, last_seq)
    select key, many from unnest(keys, counts) with ordinality as one (key, many, place) order by place
    on conflict (key) do update set last_seq = k.last_seq + excluded.last_seq
    returning last_seq
  )
  select array_agg(last_seq) from numbered into lasts;
  with written as (
    insert into outbox (event_id, topic, key, seq, type, version, at, correlation_id, traceparent, data)
    select event_id, topic, keys[place], lasts[place] - counts[place] + nth, type, version, moment, correlation_id, traceparent,
      data::jsonb
    from unnest(places, nths, event_ids, topics, types, versions, correlation_ids, traceparents, datas) with ordinality
      as event (place, nth, event_id, topic, type, version, correlation_id, traceparent, data, ordinal)
    order by ordinal
    returning id, key
  ),
  listed as (insert into outbox_unsent select id, key from written)
  select array_agg(id order by id) from written into ids;
end $$;
