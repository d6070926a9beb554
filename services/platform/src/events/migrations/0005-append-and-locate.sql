-- As append_events; answers the last position and, where all of them follow one another, the id of the event before the first
-- one if it is committed. So the process that appends can hand the events to its readers without a read.
create function append_and_locate(events json, out last bigint, out before uuid) language plpgsql as $$
begin
  perform append_events(events);
  last := currval('event_position_seq');
  select previous.id into before from event previous, event first
    where first.position = last - json_array_length(events) + 1 and previous.position = first.position - 1
      and first.id = (events -> 0 ->> 'id')::uuid;
end $$;
