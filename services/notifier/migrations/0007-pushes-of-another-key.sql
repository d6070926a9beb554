-- The push service refused our signature (401, 403) at the last attempt.
alter table push_message add column unauthorized boolean not null default false;
