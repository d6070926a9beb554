-- People whose account was closed: their account and its entries stay, under a uid that tells nobody's name. No song of
-- theirs waits for credits any more.
create table closed_account (
  uid text primary key,
  closed_at timestamptz not null default now()
);

alter table waiting_song drop constraint waiting_song_closed_as_check;
alter table waiting_song add constraint waiting_song_closed_as_check
  check (closed_as in ('charged', 'gift', 'erased'));
