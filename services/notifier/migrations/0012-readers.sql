-- The language of mails that the person chose, that which their browser prefers, and their time zone (an IANA name); null: unknown.
alter table preference add column if not exists language text;
alter table preference add column if not exists browser_language text;
alter table preference add column if not exists time_zone text;
