-- What an event caused stays known for as long as the event can be handled once more, so that it is not caused again.

-- Requests that were in a digest, or were decided before one: they need no announcement any more.
create table announced_request (
  song_id text primary key,
  uid text not null,
  declined_at bigint not null
);
-- they go with the account
create index announced_request_by_person on announced_request (uid);

-- A mail that became untrue before it was sent, or that its person does not want. Its state is 'sent', so that nobody sends it.
alter table message add column dropped boolean not null default false;
