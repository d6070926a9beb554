-- The same as `remove_old_events(own_topic, most)`, which instances of the release before call: removes up to `most` of the
-- oldest events of before this time (ms since the epoch) that every reader of this log has passed. The caller names the time.
create function remove_old_events(own_topic text, most integer, before bigint) returns bigint
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
    where e.position = oldest.position and oldest.at < before
      and (passed is null or e.position <= passed);
  get diagnostics gone = row_count;
  update event_removal set removed = removed + gone;
  return gone;
end $$;
