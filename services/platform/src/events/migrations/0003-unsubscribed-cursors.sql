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
  -- a part of the log from its beginning: times do not quite rise with positions
  with oldest as (
    select o.position, o.at >= extract(epoch from now() - interval '14 days') * 1000 as is_kept
    from event o order by o.position limit most
  )
  delete from event e using oldest, (select min(position) as first from oldest where is_kept) kept
    where e.position = oldest.position and (passed is null or e.position <= passed)
      and (kept.first is null or e.position < kept.first);
  get diagnostics gone = row_count;
  update event_removal set removed = removed + gone;
  return gone;
end $$;
