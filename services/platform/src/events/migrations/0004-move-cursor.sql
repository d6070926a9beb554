-- Moves a cursor in the transaction of the effects; answers which of `keys` are parked, null when the cursor is not at `start`.
-- A key is parked and unparked under the cursor's lock: the second statement sees what was committed while the first one waited.
create function move_cursor(of_topic text, of_partition integer, start bigint, reached bigint, events bigint, keys text[])
returns text[] language plpgsql as $$
begin
  update cursor set position = reached, taken = taken + events
    where topic = of_topic and partition = of_partition and position = start;
  return case when found then array(select key from parked_key where topic = of_topic and key = any(keys)) end;
end $$;
