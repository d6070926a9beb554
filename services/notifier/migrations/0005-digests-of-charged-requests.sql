-- Whether the request waited for credits when it was kept for a digest. One that is charged later is announced as charged.
alter table unannounced_request add column waiting boolean not null default true;
alter table announced_request add column waiting boolean not null default true;
