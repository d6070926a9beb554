-- ids of the calls that closed or refunded the song or asked for changes: a repeat of one, whose answer was lost, changes nothing
alter table song add column if not exists call_ids uuid[] not null default '{}';
