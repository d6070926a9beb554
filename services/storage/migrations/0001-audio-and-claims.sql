-- Whoever holds a song's claim may put objects for it; a live claim of another refuses.
create table claim (
  song_id text primary key,
  token text not null unique,
  expires_at timestamptz not null,
  -- finished resumable uploads that were placed: gone once the claim is kept
  uploads text[] not null default '{}'
);

-- One row an object, written before its bytes, so that a path is never used twice.
create table audio (
  path text primary key,
  song_id text not null,
  version smallint not null check (version in (1, 2)),
  -- placed: held by a claim; current: what is served; leaving: its object is being deleted
  state text not null check (state in ('placed', 'current', 'leaving')),
  claim text,
  -- since when somebody is deleting the object
  leaving_at timestamptz,
  original_name text not null,
  format text not null,
  size_bytes bigint not null check (size_bytes > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  duration_ms bigint not null,
  bitrate bigint not null,
  channels smallint not null,
  -- null until analysed; an empty list where the format cannot be decoded here
  peaks jsonb,
  loudness_lufs double precision,
  created_at timestamptz not null default now(),
  check ((state = 'placed') = (claim is not null)),
  check ((state = 'leaving') = (leaving_at is not null))
);

create unique index audio_current on audio (song_id, version) where state = 'current';
create index audio_song on audio (song_id);
create index audio_not_current on audio (state) where state <> 'current';

-- Songs whose current versions wait to be analysed.
create table analysis (
  song_id text primary key,
  uid text not null,
  done boolean not null default false,
  attempts integer not null default 0,
  -- not before this; also how long another instance that took it keeps it
  due_at timestamptz not null default now()
);

create index analysis_due on analysis (due_at) where not done;
