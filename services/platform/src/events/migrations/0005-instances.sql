-- What each running process of this part last said of itself, so that any of them can answer for all.
create table instance (
  id text primary key,
  seen_at bigint not null,
  report jsonb not null
) with (fillfactor = 50);
