-- What caused a mail, for log lines and traces to be followed to its end.
alter table message add column correlation_id text, add column traceparent text;
