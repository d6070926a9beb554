-- What an identity provider calls the given name: the first word of a name is the family name in some countries.
alter table user_record add column given_name text;
alter table closing_mail add column given_name text;
