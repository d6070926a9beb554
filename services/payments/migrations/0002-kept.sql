-- A provider's message holds the person's name and address. From now on its ids, sums and states are kept, not its body;
-- what is there already is reduced to the same.
create function kept_of(message jsonb) returns jsonb language sql immutable set search_path from current as $$
  select coalesce(jsonb_object_agg(key, case when jsonb_typeof(value) = 'object' then kept_of(value) else value end), '{}')
  from jsonb_each(message)
  where key in (
      'id', 'object', 'event', 'type', 'api_version', 'created', 'livemode', 'domain', 'data',
      'amount', 'amount_total', 'amount_refunded', 'currency', 'status', 'payment_status', 'reason', 'failure_reason',
      'charge', 'payment_intent', 'client_reference_id', 'reference', 'transaction_reference', 'refund_reference',
      'metadata', 'userId', 'paymentId', 'refundId', 'receipt_url')
    and jsonb_typeof(value) <> 'array' and not (jsonb_typeof(value) = 'string' and value #>> '{}' like '%@%')
$$;
alter table webhook_event alter column payload type jsonb using kept_of(payload::jsonb);
alter table webhook_event rename column payload to kept;
drop function kept_of(jsonb);

-- Refunds are known one by one, and sums with their moment, since a refund can fail after it was counted.
update payment set facts = facts - 'refundedCents' || jsonb_build_object(
  'refunds', '{}'::jsonb,
  'refundSums', case when (facts ->> 'refundedCents')::bigint > 0
    then jsonb_build_array(jsonb_build_object('cents', facts -> 'refundedCents', 'at', 0)) else '[]'::jsonb end);

-- Up to when the provider's events were compared with those that reached us (seconds since the epoch). It lies beside
-- what it vouches for: a restored backup brings its own.
create table reconciled (
  provider text primary key,
  until bigint not null
);
