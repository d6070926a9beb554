-- Song requests. Times are milliseconds since the epoch, as in the API.

-- A song request. The person's texts (name, e-mail, lyrics, style) are stored here and nowhere else.
create table song (
  id uuid primary key,
  uid text not null,
  username text not null,
  email text not null,
  lyrics text not null,
  style text not null,
  -- genre, mood, tempo and the like, as in the API
  brief jsonb,
  status text not null default 'pending' check (status in ('pending', 'ready', 'cancelled', 'declined')),
  charge text not null default 'deciding'
    check (charge in ('deciding', 'charged', 'declined', 'gift', 'refunded')),
  -- the operator is refunding the charge: a pending song cannot be fulfilled meanwhile
  refund_held boolean not null default false,
  -- why, in the operator's words, for the person to read
  refund_reason text,
  -- grows with every change
  revision integer not null default 1 check (revision >= 1),
  created_at bigint not null,
  -- of the fulfilment, or of the newest change of its takes
  updated_at bigint,
  -- when it will be ready; set once, when it is charged or begun as a gift
  promised_at bigint,
  -- when the promise had passed and the owner was notified
  late_at bigint,
  -- the operator has it in the studio
  started_at bigint,
  -- of the newest takes; the time to ask for changes runs from here
  delivered_at bigint,
  -- the last round of changes, as in the API, and how many rounds there were
  changes jsonb,
  changes_asked integer not null default 0,
  accepted_at bigint,
  closed_at bigint,
  closed_reason text,
  corrected_at bigint,
  -- the operator's own
  note text,
  -- the owner's own
  title text,
  favourite boolean not null default false,
  -- the version that the owner likes better
  preferred smallint check (preferred in (1, 2)),
  archived boolean not null default false,
  -- what a search reads, one text after the other: folding the case of thousands of songs for each search takes longer than reading them
  folded text not null generated always as
    (casefold((coalesce(title, '') || chr(31) || lyrics || chr(31) || style) collate pg_unicode_fast)) stored,
  -- what happened after the request, oldest first: [{state, at}]
  timeline jsonb not null default '[]',
  check ((status = 'ready') = (updated_at is not null)),
  check ((status = 'ready') = (delivered_at is not null)),
  check ((status in ('cancelled', 'declined')) = (closed_at is not null)),
  check (status <> 'declined' or closed_reason is not null),
  -- a song is not handed out while its payment is open, and only a fulfilled song can be a gift
  check (status <> 'ready' or charge not in ('deciding', 'declined')),
  check (late_at is null or promised_at is not null),
  check (started_at is null or promised_at is not null),
  check (not refund_held or charge = 'charged')
) with (fillfactor = 60); -- room on the page for the row's next version

-- the lists, newest first: of one person, of one status, of all
create index song_by_person on song (uid, created_at desc, id desc);
create index song_by_status on song (status, created_at desc, id desc);
create index song_by_time on song (created_at desc, id desc);
-- what is to do, by its promise, then what is not paid for: the operator's desk, how many songs come before a new one, and whose
-- promise passes next (DUE in store/song.ts)
create index song_to_do on song
  ((case when charge in ('charged', 'gift') then promised_at else created_at + 1000000000000000 end), id)
  where status = 'pending';
-- changes that are asked for, and what was delivered
create index song_changes on song (((changes ->> 'askedAt')::bigint), id)
  where status = 'ready' and changes ->> 'state' = 'asked';
create index song_by_delivery on song (delivered_at desc, id desc) where status = 'ready';
-- delivered songs that are accepted when the time for changes is over
create index song_delivered on song (delivered_at) where status = 'ready' and accepted_at is null;

-- The recordings of a ready song: which object of storage is take t of version n. The newest take is played.
create table take (
  song_id uuid not null references song on delete cascade,
  version smallint not null check (version in (1, 2)),
  take integer not null check (take >= 1),
  object_id uuid not null unique,
  path text not null unique,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  duration_ms bigint not null,
  primary key (song_id, version, take)
);

-- What was promised about which files: one for each pair of newest takes. It has no text of a person and outlives its song, whose
-- charge decides whether it holds.
create table certificate (
  -- random: it is the only secret that reading it needs
  id uuid primary key,
  song_id uuid not null,
  issued_at bigint not null,
  -- [{version, take, sha256, durationMs}]
  files jsonb not null,
  -- by the one of the next takes
  replaced_by uuid
);
-- a song has at most one certificate in force, which is shown with it
create unique index certificate_in_force on certificate (song_id) where replaced_by is null;

-- Links by which people without an account hear a song.
create table share (
  id uuid primary key,
  song_id uuid not null references song on delete cascade,
  -- 128 random bits, the only secret of the link; kept as they are, since its owner can read it again
  token bytea not null check (length(token) = 16),
  versions smallint[] not null check (versions <@ '{1,2}' and cardinality(versions) between 1 and 2),
  lyrics boolean not null,
  download boolean not null,
  expires_at bigint,
  plays integer not null default 0,
  created_at bigint not null,
  ended_at bigint
);
-- a link is found by the hash of its token, so that the time of a look-up says nothing about tokens
create unique index share_by_token on share (sha256(token));
-- the list of a song's links, newest first
create index share_by_song on share (song_id, created_at desc, id desc);

-- Links of accounts that were closed, so that they are over and not unknown.
create table erased_share (
  token_hash bytea primary key,
  erased_at bigint not null
);

-- People whose account was closed. A request of theirs that was in flight then is erased when it is found.
create table closed_account (
  uid text primary key,
  closed_at bigint not null
);

-- Songs that were erased with their owner's account: their ids and charges are needed for the books.
create table erased_song (
  id uuid primary key,
  uid text not null,
  charge text not null check (charge in ('deciding', 'charged', 'declined', 'gift', 'refunded')),
  erased_at bigint not null
);
