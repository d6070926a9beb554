-- How many things are wrong with the data of the last backup, and the volume that holds it, as of its end.
alter table backup add column findings integer not null default 0;
alter table backup add column disk_free_bytes bigint;
alter table backup add column disk_size_bytes bigint;
