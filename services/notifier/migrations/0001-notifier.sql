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
create index unannounced_request_by_person on unannounced_request (uid, declined_at);

-- People whose account was closed: no mail is sent to them any more.
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

-- When the last backup was taken, in milliseconds; the command that takes it writes here.
create table backup (
  one boolean primary key default true check (one),
  taken_at bigint not null
);
