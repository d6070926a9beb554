-- What owner and operator write to each other about a song. The texts are stored here and nowhere else.
create table message (
  id uuid primary key,
  song_id uuid not null references song on delete cascade,
  sender text not null check (sender in ('owner', 'studio')),
  text text not null,
  -- rises with each message of a song
  at bigint not null,
  -- by the other side
  read_at bigint
);
-- the list of a song's messages, newest first
create unique index message_by_song on message (song_id, at desc);

-- of each side: how many messages it wrote, and how many of them the other side has not read
alter table song add column if not exists messages jsonb not null
  default '{"owner": {"count": 0, "unread": 0}, "studio": {"count": 0, "unread": 0}}';
-- songs with a message that the operator has not read
create index if not exists song_unread on song (created_at desc, id desc) where (messages #>> '{owner,unread}')::integer > 0;
