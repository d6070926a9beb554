-- People whose account was closed. A request of theirs that was under way then is erased when it is found.
create table closed_account (
  uid text primary key,
  -- ms since the epoch
  closed_at bigint not null
);

-- What the books need of a song that was erased with its owner's account: that there was one, and its charge.
create table erased_song (
  id uuid primary key,
  uid text not null,
  charge text not null check (charge in ('deciding', 'charged', 'declined', 'gift', 'refunded')),
  erased_at bigint not null
);
