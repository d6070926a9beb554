-- A song request. The person's texts (name, e-mail, lyrics, style) live here and nowhere else.
-- Times are milliseconds since the epoch, as in the API.
create table song (
  id uuid primary key,
  uid text not null,
  username text not null,
  email text not null,
  lyrics text not null,
  style text not null,
  status text not null default 'pending' check (status in ('pending', 'ready')),
  charge text not null default 'deciding'
    check (charge in ('deciding', 'charged', 'declined', 'gift', 'refunded')),
  refund_held boolean not null default false,
  revision integer not null default 1 check (revision >= 1),
  created_at bigint not null,
  updated_at bigint,
  storage_path1 text,
  storage_path2 text,
  -- ready, both paths and the time of fulfilment come together
  check ((status = 'ready') = (storage_path1 is not null)),
  check ((status = 'ready') = (storage_path2 is not null)),
  check ((status = 'ready') = (updated_at is not null)),
  -- nothing is handed out while its payment is open, and only a fulfilled song can be a gift
  check (status = 'pending' or charge not in ('deciding', 'declined')),
  check (status = 'ready' or charge <> 'gift'),
  check (not refund_held or (status = 'pending' and charge = 'charged'))
);

-- one index for each way a list is read, newest first
create index song_by_person on song (uid, created_at desc, id desc);
create index song_by_status on song (status, created_at desc, id desc);
create index song_by_time on song (created_at desc, id desc);
create index song_by_path1 on song (storage_path1) where storage_path1 is not null;
create index song_by_path2 on song (storage_path2) where storage_path2 is not null;
