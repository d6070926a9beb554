-- what the song costs, in hundredths of a credit, as it was requested; those from before cost 1000
alter table song add column if not exists price_cents integer not null default 1000;
