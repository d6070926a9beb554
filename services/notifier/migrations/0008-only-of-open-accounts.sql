-- Nothing is stored about a person whose account is closed, by whichever statement. Closing waits for the transaction that
-- stores a row beside it, and then deletes the row.
create function only_of_open_account() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('account:' || new.uid, 0));
  if exists (select from closed_account where uid = new.uid) then
    return null;
  end if;
  return new;
end $$;

-- the mail that confirms the closing, and those to the operator about money that may have to go back, are sent all the same
create trigger only_of_open_account before insert or update of uid on message for each row
  when (new.kind not in ('account-closed', 'payment-suspicious')) execute function only_of_open_account();
create trigger only_of_open_account before insert or update of uid on unannounced_request
  for each row execute function only_of_open_account();
create trigger only_of_open_account before insert or update of uid on announced_request
  for each row execute function only_of_open_account();
create trigger only_of_open_account before insert or update of uid on notice
  for each row execute function only_of_open_account();
create trigger only_of_open_account before insert or update of uid on preference
  for each row execute function only_of_open_account();
create trigger only_of_open_account before insert or update of uid on push_subscription
  for each row execute function only_of_open_account();
