create table tally (
  uid text primary key,
  total bigint not null default 0,
  last_position bigint not null default 0,
  in_order boolean not null default true
);
