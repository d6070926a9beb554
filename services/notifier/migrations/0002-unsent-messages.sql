-- the operator's list of mails that are not sent, newest first
create index if not exists message_unsent on message (created_at desc, id desc) where state <> 'sent';
