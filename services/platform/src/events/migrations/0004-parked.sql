-- The few keys that are parked, among as many rows as there are people.
create index inbox_parked on inbox (topic, key) where parked;
