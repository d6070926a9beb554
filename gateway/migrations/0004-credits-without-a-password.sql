-- Credits that the operator gave or returned within the last hour without the admin password: their sum has a limit.
create table if not exists unconfirmed_credit (
  -- of the call, so that a repeat counts once
  id uuid primary key,
  -- the operator
  uid text not null,
  cents bigint not null check (cents > 0),
  at bigint not null
);
-- the sum of the last hour
create index if not exists unconfirmed_credit_of_person on unconfirmed_credit (uid, at);
