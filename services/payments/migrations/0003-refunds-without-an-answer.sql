-- refunds whose answer was lost, or that the provider failed at: they may have been made
-- an order of the same sum while the outcome of this one is not known is that one again
alter table refund add column if not exists continues text references refund (id) on delete cascade;
-- when the provider was asked; 0: it did not answer. Until it has, or a while has passed, an order is another refund
alter table refund add column if not exists asked_at bigint not null default 0;
-- errors of the provider's own, which it repeats for a key: the next attempt has another one
alter table refund add column if not exists attempts integer not null default 0;
-- an outcome that becomes known is that of the orders that continued it
create index if not exists refund_by_continued on refund (continues) where continues is not null;
