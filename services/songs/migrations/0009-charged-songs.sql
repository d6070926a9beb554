-- how many songs come before one that is charged now, counted without reading them
create index if not exists song_charged on song (charge) where status = 'pending' and charge = 'charged';
