-- the rounds of changes before the one in `changes`, oldest first; of those from before, only the number is known (changes_asked)
alter table song add column if not exists earlier_changes jsonb not null default '[]';
-- every certificate of a song, in force or not
create index if not exists certificate_by_song on certificate (song_id);
