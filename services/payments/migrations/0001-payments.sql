-- Payments, the providers' webhook messages about them, and refunds. Sums are hundredths of their unit; times are
-- milliseconds since the epoch.

-- A payment: a card checkout, an alternate checkout or a bank transfer.
create table payment (
  id uuid primary key,
  uid text not null,
  method text not null check (method in ('card', 'naira_transfer', 'alternate')),
  -- 'creating' until the provider has answered: not shown to anybody
  status text not null check (
    status in ('creating', 'open', 'processing', 'paid', 'failed', 'expired', 'rejected', 'refunded', 'disputed')
  ),
  amount_cents bigint check (amount_cents > 0),
  currency text not null check (currency = upper(currency)),
  credits_cents bigint check (credits_cents >= 0),
  livemode boolean not null,
  -- the provider's statements so far (domain/facts.ts): status, refunded_cents and reversed_cents follow from them
  facts jsonb not null,
  -- calls that the provider refused for good: the next one must not replay their answer
  attempts integer not null default 0,
  provider_session_id text,
  provider_payment_intent text,
  url text,
  receipt_url text,
  refunded_cents bigint not null default 0 check (refunded_cents >= 0),
  -- PaymentSucceeded was emitted
  succeeded boolean not null default false,
  -- the ledger has added the credits
  credited boolean not null default false,
  -- credits taken back by PaymentReversed and not given again by PaymentReinstated
  reversed_cents bigint not null default 0 check (reversed_cents >= 0),
  reversal_count integer not null default 0,
  -- mismatches found so far; each reason is reported once
  suspicions text[] not null default '{}',
  last_event_type text,
  reject_reason text,
  revision integer not null default 1,
  created_at bigint not null,
  -- the person's account was closed: sums and states stay, fields that lead to the person are never filled again
  erased boolean not null default false,
  check (refunded_cents <= amount_cents),
  check (reversed_cents <= credits_cents),
  check (not succeeded or (amount_cents is not null and credits_cents is not null)),
  check (succeeded = (status in ('paid', 'refunded', 'disputed')))
);

-- the lists, newest first: of all, of one person
create index payment_by_time on payment (created_at desc, id desc);
create index payment_by_person on payment (uid, created_at desc, id desc);
-- a webhook message finds its payment
create index payment_by_session on payment (provider_session_id);
create index payment_by_intent on payment (provider_payment_intent);
-- unfinished payments, oldest first, for the jobs that ask the provider about them
create index payment_waiting on payment (created_at, id) where status in ('creating', 'open', 'processing');
-- money that arrived without its credits so far: few rows, counted often
create index payment_uncredited on payment (created_at) where succeeded and not credited;
-- a person has at most one open bank transfer
create unique index payment_one_open_transfer on payment (uid)
  where method = 'naira_transfer' and status = 'open';

-- Every verified webhook message of a provider, once per event id.
create table webhook_event (
  provider text not null check (provider in ('stripe', 'paystack')),
  id text not null,
  type text not null,
  object_id text,
  payment_intent text,
  -- ids, sums and states of the message (domain/kept.ts), not its body: that holds the person's name and address
  kept jsonb not null,
  -- 'unmatched': about a charge whose checkout may still become known
  outcome text not null check (outcome in ('received', 'applied', 'suspicious', 'ignored', 'unmatched')),
  payment_id uuid references payment (id) on delete set null,
  received_at bigint not null,
  primary key (provider, id)
);
-- a checkout that becomes known takes the unmatched messages of its payment intent
create index webhook_event_unmatched on webhook_event (payment_intent) where outcome = 'unmatched';

-- A refund that the operator requested; its id is the provider's idempotency key.
create table refund (
  id text primary key,
  payment_id uuid not null references payment (id),
  amount_cents bigint not null check (amount_cents > 0),
  -- null until the provider has answered
  provider_refund_id text,
  created_at bigint not null
);

-- The time up to which the provider's events were compared with the stored ones. It is kept in this schema so that a
-- restored backup brings its own.
create table reconciled (
  provider text primary key,
  -- seconds since the epoch, as the provider counts
  until bigint not null
);

-- People whose account was closed.
create table closed_account (
  uid text primary key,
  closed_at bigint not null
);
