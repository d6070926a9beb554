-- A topic that this service no longer subscribes to: its cursor holds up no removal of events. The row stays, so that a version that
-- still subscribes, beside this one or after a rollback, goes on where it was.
alter table cursor add column unsubscribed boolean not null default false;

-- As before, but for the cursors of topics that their service no longer subscribes to. The table of a service that has not
-- been migrated yet is without the column.
create or replace function remove_old_events(own_topic text, most integer) returns bigint
language plpgsql security definer set search_path from current as $$
declare
  reader name;
  passed bigint;
  gone bigint;
begin
  for reader in select schemaname from pg_tables where tablename = 'cursor' loop
    execute format($sql$
      select least($1, min(position)) from %I.cursor c
      where topic = $2 and partitions = 1 and to_jsonb(c) ->> 'unsubscribed' is distinct from 'true'$sql$, reader)
      into passed using passed, own_topic;
  end loop;
  delete from event e using (select o.position, o.at from event o order by o.position limit most) oldest
    where e.position = oldest.position and oldest.at < extract(epoch from now() - interval '14 days') * 1000
      and (passed is null or e.position <= passed);
  get diagnostics gone = row_count;
  update event_removal set removed = removed + gone;
  return gone;
end $$;
