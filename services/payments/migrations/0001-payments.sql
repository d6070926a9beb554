-- A payment: a card checkout, an alternate checkout or a bank transfer. Sums are hundredths of their unit.
create table payment (
  id uuid primary key,
  uid text not null,
  method text not null check (method in ('card', 'naira_transfer', 'alternate')),
  -- 'creating' until the provider has answered: told to nobody
  status text not null check (
    status in ('creating', 'open', 'processing', 'paid', 'failed', 'expired', 'rejected', 'refunded', 'disputed')
  ),
  amount_cents bigint check (amount_cents > 0),
  currency text not null check (currency = upper(currency)),
  credits_cents bigint check (credits_cents >= 0),
  livemode boolean not null,
  -- what the provider has told so far; status, refunded_cents and reversed_cents follow from it
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
  -- what did not match; each reason is told once
  suspicions text[] not null default '{}',
  last_event_type text,
  reject_reason text,
  revision integer not null default 1,
  -- ms since the epoch
  created_at bigint not null,
  check (refunded_cents <= amount_cents),
  check (reversed_cents <= credits_cents),
  check (not succeeded or (amount_cents is not null and credits_cents is not null)),
  check (succeeded = (status in ('paid', 'refunded', 'disputed')))
);

create index payment_by_time on payment (created_at desc, id desc);
create index payment_by_person on payment (uid, created_at desc, id desc);
create index payment_by_session on payment (provider_session_id);
create index payment_by_intent on payment (provider_payment_intent);
create index payment_waiting on payment (created_at, id) where status in ('creating', 'open', 'processing');
create unique index payment_one_open_transfer on payment (uid)
  where method = 'naira_transfer' and status = 'open';

-- Every verified message of a provider, once for its event id.
create table webhook_event (
  provider text not null check (provider in ('stripe', 'paystack')),
  id text not null,
  type text not null,
  object_id text,
  payment_intent text,
  -- the body as it was signed
  payload text not null,
  -- 'unmatched': about a charge whose checkout we may still hear of
  outcome text not null check (outcome in ('received', 'applied', 'suspicious', 'ignored', 'unmatched')),
  payment_id uuid references payment (id) on delete set null,
  -- ms since the epoch
  received_at bigint not null,
  primary key (provider, id)
);

create index webhook_event_unmatched on webhook_event (payment_intent) where outcome = 'unmatched';

-- A refund asked for by the operator; its id is the provider's idempotency key.
create table refund (
  id text primary key,
  payment_id uuid not null references payment (id),
  amount_cents bigint not null check (amount_cents > 0),
  -- null until the provider has answered
  provider_refund_id text,
  -- ms since the epoch
  created_at bigint not null
);
