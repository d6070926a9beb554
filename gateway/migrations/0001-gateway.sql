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
create index user_record_email on user_record (email);
create index user_record_newest on user_record (created_at desc, uid desc);

-- The id of what a request makes is drawn together with its key, so that a repeat after a crash makes nothing twice.
create table idempotency_key (
  uid text not null,
  method text not null,
  path text not null,
  key text not null,
  -- hash of query and body: the same key with another request is refused
  fingerprint text not null,
  resource_id uuid not null,
  -- who may write the answer: a taken-over attempt may not
  attempt uuid not null,
  created_at bigint not null,
  started_at bigint not null,
  -- the answer was not one to keep (5xx): the same request goes again, under the same resource_id
  released boolean not null default false,
  status integer,
  body text,
  primary key (uid, method, path, key)
);
create index idempotency_key_age on idempotency_key (created_at);

-- Every call of the operator, written before it does anything; its outcome is a row of its own, so both are insert-only.
create table audit (
  id uuid primary key,
  at bigint not null,
  uid text not null,
  action text not null,
  target text,
  request_id text not null
);

create table audit_outcome (
  audit_id uuid primary key references audit (id),
  at bigint not null,
  outcome text not null,
  target text,
  detail text
);
