-- The position of the newest event about the takes of the song that was handled: an older one that comes after it changes nothing.
alter table analysis add column takes_position bigint not null default 0;
