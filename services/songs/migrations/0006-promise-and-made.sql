-- when the form of the request said that the song would be ready; null where it said nothing
alter table song add column if not exists ready_by bigint;
-- {how, with} as in the API; null is not stated
alter table take add column if not exists made jsonb;
