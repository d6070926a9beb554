-- The account of its person was closed: sums and states stay, what leads to the person does not, whatever comes later.
alter table payment add column erased boolean not null default false;

create table closed_account (
  uid text primary key,
  -- ms since the epoch
  closed_at bigint not null
);

-- Of messages that nobody will read again nothing is kept from now on.
update webhook_event set kept = '{}' where outcome = 'ignored';
