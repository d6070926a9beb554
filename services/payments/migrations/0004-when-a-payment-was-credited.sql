-- when the ledger added its credits: an account that is closed around then has its payment looked at
alter table payment add column if not exists credited_at bigint;
