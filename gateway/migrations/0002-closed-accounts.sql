-- Accounts that were closed. Nobody gets their uid again: who signs in with the same identity gets another one.
create table closed_account (
  uid text primary key,
  identity text not null,
  closed_by text not null check (closed_by in ('person', 'operator')),
  -- ms since the epoch
  closed_at bigint not null
);
create index closed_account_identity on closed_account (identity);

-- Whose session it is, so that all of a person's can be ended. The sessions themselves lie in the key-value store.
create table session_of (
  hash text primary key,
  uid text not null,
  -- ms since the epoch
  expires_at bigint not null
);
create index session_of_person on session_of (uid);
create index session_of_age on session_of (expires_at);
