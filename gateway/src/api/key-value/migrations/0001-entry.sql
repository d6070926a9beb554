-- The embedded key-value store: sessions, limits, login states. Rows past expires_at (ms since the epoch) count as absent.
create table entry (
  key text primary key,
  value text not null,
  expires_at bigint not null
);
-- expired entries are deleted
create index entry_expires_at on entry (expires_at);
