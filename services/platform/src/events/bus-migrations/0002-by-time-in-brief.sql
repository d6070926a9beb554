-- Events come in the order of their times and are looked for by time once an hour, to be removed: what each stretch of the
-- table holds is enough for that, and nothing has to be written for it with each event.
drop index event_published_at;
create index event_published_at on event using brin (published_at) with (pages_per_range = 32, autosummarize = on);
