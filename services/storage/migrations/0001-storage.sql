-- Audio objects: which bytes lie under which path. Songs decides which of them is a take of a song;
-- storage receives the decision as an event.

-- One row per object, inserted before its bytes are written, so that no two placements get the same path.
create table audio (
  path text primary key,
  -- in events, which hold no names of files; null for an object that was found without a row
  id uuid unique,
  -- placed: judged and stored, no event of songs has named it; named: a take of its song; leaving: its object is being deleted
  state text not null check (state in ('placed', 'named', 'leaving')),
  -- leaving: not deleted before this time; also the end of the lease of the instance that is deleting it
  delete_after timestamptz,
  song_id text,
  version smallint check (version in (1, 2)),
  -- the number of the take, since an event named it
  take integer check (take >= 1),
  original_name text,
  format text,
  size_bytes bigint check (size_bytes > 0),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  duration_ms bigint,
  bitrate bigint,
  channels smallint,
  -- null until analysed; an empty list where the format or this file cannot be decoded here
  peaks jsonb,
  loudness_lufs double precision,
  -- attempts to decode it that have not succeeded, also when the process was killed meanwhile; after three none is made
  decode_attempts smallint not null default 0,
  created_at timestamptz not null default now(),
  check ((state = 'leaving') = (delete_after is not null)),
  check (state <> 'named' or take is not null),
  -- of an object that is leaving perhaps only its path is known
  check (state = 'leaving'
    or num_nulls(id, song_id, version, original_name, format, size_bytes, sha256, duration_ms, bitrate, channels) = 0)
);
-- a take is one object
create unique index audio_take on audio (song_id, version, take) where state = 'named';
-- all objects of a song
create index audio_song on audio (song_id);
-- the few rows that a job still has to look at
create index audio_not_named on audio (state, created_at) where state <> 'named';

-- The queue of songs whose takes are to be analysed.
create table analysis (
  song_id text primary key,
  uid text not null,
  done boolean not null default false,
  attempts integer not null default 0,
  -- not before this time; also the end of the lease of the instance that took the row
  due_at timestamptz not null default now()
);
-- the next song to analyse
create index analysis_due on analysis (due_at) where not done;
