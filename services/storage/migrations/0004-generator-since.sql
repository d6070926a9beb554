-- Since when a music generator is in use: one row, from the first start with one.
create table generator_use (
  is_only boolean primary key default true check (is_only),
  since bigint not null
);
