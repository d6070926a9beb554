-- Accounts, the end of their sessions, answers kept for repeated requests, and the operator's audit log.
-- Times are milliseconds since the epoch.

-- A person who has signed in. The record is deleted when the account is closed.
create table user_record (
  uid text primary key,
  name text,
  -- lower case, verified by the identity provider
  email text not null,
  photo_url text,
  role text not null default 'user' check (role = 'user'),
  created_at bigint not null,
  updated_at bigint not null
);
-- the operator finds a person by address
create index user_record_email on user_record (email);
-- the operator's list of people, newest first
create index user_record_newest on user_record (created_at desc, uid desc);

-- Accounts that were closed. A uid is never used again: the next sign-in with the same identity opens another one.
create table closed_account (
  uid text primary key,
  identity text not null,
  closed_by text not null check (closed_by in ('person', 'operator')),
  closed_at bigint not null
);
-- a sign-in counts the closed accounts of its identity
create index closed_account_identity on closed_account (identity);

-- Where the mail that confirms a closing goes. Deleted when it is sent, after a day at the latest.
create table closing_mail (
  uid text primary key,
  name text,
  email text not null,
  closed_at bigint not null
);

-- The owner of each session, so that a person can see and end their sessions. What is alive is in the key-value store.
create table session_of (
  -- what the person calls it by; the id in the cookie is stored nowhere
  id uuid primary key,
  -- of the id in the cookie; unlocking changes both
  hash text not null unique,
  uid text not null,
  -- the sign-in
  created_at bigint not null,
  expires_at bigint not null,
  browser text not null,
  -- once at least: the first time causes a mail
  unlocked boolean not null default false
);
-- a person's list of sessions, and all of them when they end together
create index session_of_person on session_of (uid);
-- rows of expired sessions are deleted
create index session_of_age on session_of (expires_at);

-- Idempotency keys and their answers. The id of the resource that a request creates is drawn together with its key, so
-- that a repeat after a crash creates nothing twice.
create table idempotency_key (
  uid text not null,
  method text not null,
  path text not null,
  key text not null,
  -- hash of query and body: the same key with another request is refused
  fingerprint text not null,
  resource_id uuid not null,
  -- the attempt that may write the answer: one that was taken over may not
  attempt uuid not null,
  created_at bigint not null,
  started_at bigint not null,
  -- the answer was not one to keep: the same request runs again, under the same resource_id
  released boolean not null default false,
  -- the answer, once there is one; null without a body
  status integer,
  body text,
  -- the person whom the answer is about, if any: it is deleted with their account
  about_uid text,
  primary key (uid, method, path, key)
);
-- old keys are deleted
create index idempotency_key_age on idempotency_key (created_at);
-- answers about a person are deleted with the account
create index idempotency_key_about on idempotency_key (about_uid);

-- Errors in browsers, without texts and addresses of people: equal ones of a build are one row.
create table client_error (
  message text not null,
  -- the build of the web app
  release text not null,
  -- of the last one
  page text not null,
  stack text,
  count integer not null,
  first_at bigint not null,
  last_at bigint not null,
  primary key (message, release)
);

-- Every call of the operator, inserted before it takes effect. Its outcome is a row of its own, so both are insert-only.
create table audit (
  id uuid primary key,
  at bigint not null,
  uid text not null,
  action text not null,
  target text,
  request_id text not null
);

-- How a call of the operator ended, inserted after it. A call without an outcome was interrupted.
create table audit_outcome (
  audit_id uuid primary key references audit (id),
  at bigint not null,
  outcome text not null,
  target text,
  detail text
);
