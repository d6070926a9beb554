-- The baseline: the least that a server can do and still check, charge and keep a request.
create table account (uid text primary key, balance bigint not null check (balance >= 0));
create table song (
  id uuid primary key,
  uid text not null,
  lyrics text not null,
  style text not null,
  charged boolean not null,
  created_at bigint not null
);
create index song_by_person on song (uid, created_at desc, id desc);

create function submit(song_id uuid, person text, song_lyrics text, song_style text, at bigint) returns boolean
language plpgsql as $$
begin
  update account set balance = balance - 1000 where uid = person and balance >= 1000;
  insert into song values (song_id, person, song_lyrics, song_style, found, at);
  return found;
end $$;
