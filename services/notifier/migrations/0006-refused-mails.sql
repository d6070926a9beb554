-- Mails of a person that were given up: one that is accepted afterwards is reported.
create index if not exists message_failed_by_person on message (uid) where state = 'failed';
