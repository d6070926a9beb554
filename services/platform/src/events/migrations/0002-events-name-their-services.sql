-- An event names the services that it matters to, so that it waits in a version of them that has no handler for it.

-- the services that had a handler for it when it was emitted; null for events of 0.1.0
alter table event add column "for" text[];

-- As before, with "for".
create or replace function append_events(events json) returns void language plpgsql as $$
begin
  perform pg_current_xact_id();
  insert into event (id, key, type, version, "for", at, correlation_id, traceparent, data)
    select id, key, type, version, "for", at, "correlationId", traceparent, data
    from rows from (json_to_recordset(events) as (
      id uuid, key text, type text, version integer, "for" text[], at bigint, "correlationId" text, traceparent text, data jsonb
    )) with ordinality as appended (id, key, type, version, "for", at, "correlationId", traceparent, data, place)
    order by place;
end $$;

-- The event's version, while the letter waits for a version of the service that has a handler for it; null once it has failed.
-- Only the first open letter of a key has one.
alter table dead_letter add column unknown_version integer;
