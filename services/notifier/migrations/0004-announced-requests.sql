-- A request that needs no announcement any more is kept for as long as its event: handled once more it is not announced again.
alter table unannounced_request add column done boolean not null default false;
