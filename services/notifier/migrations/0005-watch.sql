-- The watch over the product: which instance keeps it, what it has seen, and what it has told whom. One row.
create table watch (
  one boolean primary key default true check (one),
  holder text not null,
  -- ms since the epoch: from then on another instance may keep it
  until bigint not null,
  state jsonb not null default '{}'
);
