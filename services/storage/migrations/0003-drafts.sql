-- Drafts: what a music generator makes for the operator, a task of the generator's for each.

-- A song of which drafts were asked for; the row is locked while some are added.
create table draft_song (
  song_id text primary key,
  -- of the newest draft: a number is never used again
  last_n integer not null default 0
);

create table draft (
  id uuid primary key,
  -- null: the song was closed or erased, and the generator may still work on it
  song_id text,
  uid text,
  -- of the call that asked for it: a repeat asks for none
  call_id uuid,
  n integer not null,
  -- of the song's words
  revision integer not null,
  -- sending: from before the request is sent until its answer is recorded; fetching: the generator is done, its file is not here yet;
  -- removed: not in the list, maybe still made
  state text not null
    check (state in ('waiting', 'sending', 'queued', 'making', 'fetching', 'ready', 'failed', 'lost', 'removed')),
  -- what is sent; null once it will not be sent any more
  request jsonb,
  -- it is a task of the generator's, or may be
  at_generator boolean not null default false,
  task_id text,
  -- the name that the generator gave the result
  result text,
  -- answers in a row that do not say whether the generator knows the task
  unclear_looks smallint not null default 0,
  -- nothing is done about it before this time; also the end of the lease of the instance that works on it
  due_at bigint not null,
  sent_at bigint,
  -- why it failed, was lost or waits
  error text,
  seed bigint,
  made_with text,
  -- of the object, since before its bytes are written
  path text unique,
  format text,
  size_bytes bigint check (size_bytes > 0),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  duration_ms bigint,
  expected_at bigint,
  created_at bigint not null,
  ready_at bigint,
  -- a version of a song was delivered from it
  used_at bigint,
  unique (song_id, n),
  check (state = 'removed' or num_nulls(song_id, uid, call_id) = 0),
  check (state not in ('waiting', 'sending') or request is not null),
  check (state <> 'ready' or num_nulls(ready_at, path, format, size_bytes, sha256, duration_ms) = 0)
);
-- the drafts that a call asked for
create index draft_call on draft (call_id);
-- the few rows that the job has to look at, and the tasks at the generator
create index draft_under_way on draft (due_at)
  where state in ('waiting', 'sending', 'queued', 'making', 'fetching') or at_generator;
-- ready drafts that nobody used, and what is left of those of closed songs
create index draft_unused on draft (ready_at) where state = 'ready' and used_at is null;
create index draft_of_no_song on draft (id) where song_id is null;

-- The draft that an object was placed from.
alter table audio add column draft_id uuid;
