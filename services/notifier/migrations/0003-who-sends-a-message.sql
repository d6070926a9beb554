-- The instance that sends a message now, so that the next process of its name can make due again what a killed one left.
alter table message add column holder text;
alter table push_message add column holder text;
