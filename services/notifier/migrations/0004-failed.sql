-- Mails that were given up: few, and counted often.
create index message_failed on message (created_at desc, id desc) where state = 'failed';
