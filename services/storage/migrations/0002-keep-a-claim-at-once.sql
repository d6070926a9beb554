-- One statement instead of six: an operator waits for it at the end of each upload.
create function keep_claim(kept text, out replaced text[], out uploads text[]) language plpgsql as $$
begin
  -- all rows of the song are locked, so that of two claims one sees what the other made current
  perform from audio where song_id in (select song_id from audio where claim = kept) order by path for update;
  with left_behind as (
    update audio served set state = 'leaving', leaving_at = now()
    from audio placed
    where placed.claim = kept and served.song_id = placed.song_id and served.version = placed.version
      and served.state = 'current'
    returning served.path
  )
  select coalesce(array_agg(path), '{}') into replaced from left_behind;
  if cardinality(replaced) > 0 then
    -- in a moment: the one who replaces a version may not be done
    update analysis set done = false, attempts = 0, due_at = now() + interval '5 seconds'
    where song_id in (select song_id from audio where claim = kept);
  end if;
  update audio set state = 'current', claim = null where claim = kept;
  delete from claim where token = kept returning claim.uploads into uploads;
  uploads := coalesce(uploads, '{}');
end $$;
