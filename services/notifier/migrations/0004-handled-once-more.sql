-- What an event caused stays known for as long as the event can be handled once more, so that it is not caused again.

-- a request that needs no announcement any more
alter table unannounced_request add column done boolean not null default false;

-- a mail that became untrue before it could be sent; its state is 'sent', so that nobody sends it
alter table message add column dropped boolean not null default false;
