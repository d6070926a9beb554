-- the rows that refer to a payment, when it is deleted or its person's account is closed
create index if not exists webhook_event_by_payment on webhook_event (payment_id) where payment_id is not null;
create index if not exists refund_by_payment on refund (payment_id);
