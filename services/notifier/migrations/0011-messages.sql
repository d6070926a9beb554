-- of the notice about a song's unread messages: its last push
alter table notice add column if not exists pushed_at bigint;
-- what a push says
alter table push_message add column if not exists kind text not null default 'ready';
