-- As before, but marks are found by their keys whatever the plan was made for, and what is new to this part is looked for only
-- when a mark was not raised. What another transaction opened meanwhile counts as not taken.
create or replace function inbox_take_runs(event_topic text, keys text[], firsts bigint[], lasts bigint[]) returns boolean
language plpgsql as $$
declare
  raised bigint;
  opened bigint;
begin
  update inbox mark set seq = run.last
    from unnest(keys, firsts, lasts) as run (key, first, last)
    where mark.topic = event_topic and mark.key = any(keys) and mark.key = run.key
      and mark.seq = run.first - 1 and not mark.parked;
  get diagnostics raised = row_count;
  if raised = cardinality(keys) then return true; end if;
  insert into inbox (topic, key, seq)
    select event_topic, run.key, run.last from unnest(keys, lasts) as run (key, last)
    on conflict do nothing;
  get diagnostics opened = row_count;
  return raised + opened = cardinality(keys);
end $$;
