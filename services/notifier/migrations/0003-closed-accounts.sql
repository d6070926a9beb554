-- People whose account was closed: they are not written to any more.
create table closed_account (uid text primary key);
create index message_by_person on message (uid, created_at desc, id desc);
