-- The position of the newest event about the takes of the song that was handled: an older one that comes after it changes nothing.
alter table analysis add column takes_position bigint not null default 0;

-- those that were handled before
update analysis a set takes_position = coalesce((
  select position from cursor
  where topic = 'prelude.songs' and partition = crc32(convert_to(a.uid, 'UTF8')) % partitions), 0);
