-- Mails and alerts. Times are milliseconds since the epoch.

-- The queue of mails: the cause of each, the person it concerns and the state of its delivery. Text and address are read
-- from their services when it is sent, and never stored.
create table message (
  id uuid primary key,
  -- the event, once: a repeated event queues no second mail
  cause text not null unique,
  kind text not null,
  uid text not null,
  refs jsonb not null,
  to_operator boolean not null default false,
  state text not null default 'pending' check (state in ('pending', 'sending', 'sent', 'failed')),
  attempts integer not null default 0,
  -- when it is due; while it is being sent, the end of the sender's lease
  next_at bigint not null,
  give_up_at bigint not null,
  created_at bigint not null,
  sent_at bigint,
  last_error text,
  -- the Message-ID header: the same for all attempts, so that mail programs recognise a duplicate
  message_id uuid not null,
  -- of the event, for log lines and traces
  correlation_id text,
  traceparent text,
  check ((state = 'sent') <= (sent_at is not null))
);
-- the sender's order: mails to customers before mails to the operator
create index message_due on message (to_operator, next_at) where state in ('pending', 'sending');
-- the operator's lists, newest first: of all, of one person
create index message_by_time on message (created_at desc, id desc);
create index message_by_person on message (uid, created_at desc, id desc);
-- mails that were given up: few rows, counted often
create index message_failed on message (created_at desc, id desc) where state = 'failed';

-- Requests that wait for credits and have not been announced to the operator: the next digest has them, unless they are
-- charged before.
create table unannounced_request (
  song_id text primary key,
  uid text not null,
  declined_at bigint not null
);
-- a digest takes all of a person's, or they go with the account
create index unannounced_request_by_person on unannounced_request (uid, declined_at);

-- What the bell of the web app lists: facts alone, the app has the words.
create table notice (
  id uuid primary key,
  -- what happened, once: a repeated event adds no second notice
  cause text not null unique,
  uid text not null,
  kind text not null,
  song_id text,
  -- of the event that caused it
  at bigint not null,
  read_at bigint
);
-- a person's list, newest first
create index notice_by_person on notice (uid, at desc, id desc);

-- What people are written to about, of those who have changed it; all others have the defaults.
create table preference (
  uid text primary key,
  mail_ready boolean not null default true,
  mail_charged boolean not null default true,
  mail_late boolean not null default true,
  push boolean not null default false
);

-- The key pair with which push services recognise this product (VAPID), made at the first start unless it is set. One row.
create table push_key (
  one boolean primary key default true check (one),
  public_key text not null,
  private_key text not null
);

-- Browsers that receive pushes. The endpoint is an address of the browser's push service.
create table push_subscription (
  id uuid primary key,
  uid text not null,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  created_at bigint not null
);
-- the browsers to push to; of too many the oldest goes
create index push_subscription_by_person on push_subscription (uid, created_at);

-- Pushes that are not sent yet: "your song is ready", to one browser.
create table push_message (
  subscription_id uuid not null references push_subscription on delete cascade,
  song_id text not null,
  attempts integer not null default 0,
  -- when it is due; while it is being sent, the end of the sender's lease
  next_at bigint not null,
  give_up_at bigint not null,
  primary key (subscription_id, song_id)
);
-- the sender's order
create index push_message_due on push_message (next_at);

-- People whose account was closed: no mail is sent to them any more, and nothing is kept.
create table closed_account (uid text primary key);

-- The state of the alerting (domain/watch.ts), and the instance that runs it. One row.
create table watch (
  one boolean primary key default true check (one),
  holder text not null,
  -- the end of the holder's lease
  until bigint not null,
  state jsonb not null default '{}'
);

-- What services must agree on, as infra/invariants last checked it: that check has a role of its own, which writes here.
create table cross_check (
  invariant text primary key,
  breaches integer not null,
  checked_at bigint not null
);

-- When the last backup of everything, and the last base backup of the database, was taken, in milliseconds; the command that
-- takes it writes here.
create table backup (
  kind text primary key check (kind in ('all', 'database')),
  taken_at bigint not null
);
