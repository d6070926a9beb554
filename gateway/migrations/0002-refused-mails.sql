-- How often the mail server of the address has refused a mail for good since it accepted one.
alter table user_record add column mail_refusals integer not null default 0;
