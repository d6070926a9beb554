-- Reported by a person who was signed in: what anybody may send does not replace it.
alter table client_error add column of_person boolean not null default false;
