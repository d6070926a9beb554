-- messages about nothing of ours, which are deleted when they are old
create index if not exists webhook_event_without_effect on webhook_event (received_at)
  where outcome in ('ignored', 'unmatched');
-- refunds of which it is not known whether the provider has made them: few rows, looked for every minute
create index if not exists refund_unfinished on refund (payment_id) where provider_refund_id is null;
