-- A mail to write: why, to whom it concerns and how it fares. Its text and address are asked for when it is sent
-- and never kept. Times are milliseconds since the epoch.
create table message (
  id uuid primary key,
  -- what happened, once: a repeated event makes no second mail
  cause text not null unique,
  kind text not null,
  uid text not null,
  refs jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'sending', 'sent', 'failed')),
  attempts integer not null default 0,
  -- when it is due; while it is being sent, when another sender may take it over
  next_at bigint not null,
  give_up_at bigint not null,
  created_at bigint not null,
  sent_at bigint,
  last_error text,
  -- stays the same over all tries, so that mail programs recognise a double
  message_id uuid not null,
  check ((state = 'sent') <= (sent_at is not null))
);

create index message_due on message (next_at) where state in ('pending', 'sending');
create index message_by_time on message (created_at desc, id desc);
