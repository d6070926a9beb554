-- Posts journals one after the other in one round trip; the answers come in the same order.
create function post_all(journals jsonb) returns setof posting language plpgsql as $$
declare
  journal jsonb;
begin
  for journal in select value from jsonb_array_elements(journals) loop
    return next post(
      journal ->> 'uid',
      (journal ->> 'startingCreditsCents')::bigint,
      journal ->> 'kind',
      journal ->> 'key',
      journal ->> 'reason',
      journal ->> 'reference',
      journal ->> 'note',
      array(select line ->> 'account' from jsonb_array_elements(journal -> 'lines') line),
      array(select (line ->> 'amountCents')::bigint from jsonb_array_elements(journal -> 'lines') line)
    );
  end loop;
end $$;

-- Room on the page for the next state of a row, so that a change of balance touches no index.
alter table account set (fillfactor = 50);
