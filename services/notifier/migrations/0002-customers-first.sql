-- What the operator is told waits behind what customers wait for.
alter table message add column to_operator boolean not null default false;
update message set to_operator = kind in ('song-requested', 'transfer-opened', 'payment-suspicious');
drop index message_due;
create index message_due on message (to_operator, next_at) where state in ('pending', 'sending');
