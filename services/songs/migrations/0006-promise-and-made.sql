-- when the form of the request said that the song would be ready; null where it said nothing
alter table song add column if not exists ready_by bigint;
-- {how, with} as in the API; null is not stated
alter table take add column if not exists made jsonb;
-- 0001 says that only a fulfilled song can be a gift; one that is begun can be, too
comment on column song.charge is 'a gift is begun or fulfilled without a charge';
