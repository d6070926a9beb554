-- Audio objects: which bytes are stored for which version of a song, and who may add some.

-- The right to place objects for a song. A live claim refuses every other caller.
create table claim (
  song_id text primary key,
  token text not null unique,
  expires_at timestamptz not null,
  -- finished resumable uploads that were placed: deleted once the claim is kept
  uploads text[] not null default '{}'
);

-- One row per object, inserted before its bytes are written, so that a path is never used twice.
create table audio (
  path text primary key,
  song_id text not null,
  version smallint not null check (version in (1, 2)),
  -- placed: held by a claim; current: served; leaving: its object is being deleted
  state text not null check (state in ('placed', 'current', 'leaving')),
  -- the token of the claim
  claim text,
  -- when the deletion began
  leaving_at timestamptz,
  original_name text not null,
  format text not null,
  size_bytes bigint not null check (size_bytes > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  duration_ms bigint not null,
  bitrate bigint not null,
  channels smallint not null,
  -- null until analysed; an empty list where the format or this file cannot be decoded here
  peaks jsonb,
  loudness_lufs double precision,
  -- attempts to decode it that have not succeeded, also when the process was killed meanwhile; after three none is made
  decode_attempts smallint not null default 0,
  created_at timestamptz not null default now(),
  check ((state = 'placed') = (claim is not null)),
  check ((state = 'leaving') = (leaving_at is not null))
);
-- a version of a song has at most one object that is served
create unique index audio_current on audio (song_id, version) where state = 'current';
-- all objects of a song
create index audio_song on audio (song_id);
-- the few rows that a job still has to settle or delete
create index audio_not_current on audio (state) where state <> 'current';

-- The queue of songs whose current versions are to be analysed.
create table analysis (
  song_id text primary key,
  uid text not null,
  done boolean not null default false,
  attempts integer not null default 0,
  -- not before this time; also the end of the lease of the instance that took the row
  due_at timestamptz not null default now()
);
create index analysis_due on analysis (due_at) where not done;

-- Makes the objects of a claim the served ones and ends the claim. Returns the paths that were replaced and the uploads
-- that were placed under it. One statement instead of six: an operator waits for it at the end of each upload.
create function keep_claim(kept text, out replaced text[], out uploads text[]) language plpgsql as $$
begin
  -- all rows of the song are locked, so that of two claims one sees what the other made current
  perform from audio where song_id in (select song_id from audio where claim = kept) order by path for update;
  with left_behind as (
    update audio served set state = 'leaving', leaving_at = now()
    from audio placed
    where placed.claim = kept and served.song_id = placed.song_id and served.version = placed.version
      and served.state = 'current'
    returning served.path
  )
  select coalesce(array_agg(path), '{}') into replaced from left_behind;
  if cardinality(replaced) > 0 then
    -- delayed: the operator who replaces one version may replace the other one next
    update analysis set done = false, attempts = 0, due_at = now() + interval '5 seconds'
    where song_id in (select song_id from audio where claim = kept);
  end if;
  update audio set state = 'current', claim = null where claim = kept;
  delete from claim where token = kept returning claim.uploads into uploads;
  uploads := coalesce(uploads, '{}');
end $$;
