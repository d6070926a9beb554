-- One row: when the next batch of mails may be sent, by whichever instance. Mail providers limit what all of them send together.
create table mail_pace (
  one boolean primary key default true check (one),
  free_at bigint not null
);
