-- The version before held a song while the operator's refund of it was under way, and one whose refund got no answer stayed held
-- (refund_held). Those refunds are completed here: credits gives back on the event what it has not given back yet.
-- No version reads refund_held from now on; this one writes false, and the next may drop it.
with refunded as (
  update song
  set refund_held = false, charge = 'refunded', revision = revision + 1,
      timeline = timeline || jsonb_build_array(jsonb_build_object('state', 'refunded', 'at', now.ms))
  from (select floor(extract(epoch from now()) * 1000)::bigint as ms) as now
  where refund_held returning id, uid, revision, ms
), ended as (
  update share set ended_at = ms from refunded where song_id = refunded.id and ended_at is null
)
select append_events(json_agg(json_build_object(
  'id', gen_random_uuid(), 'key', uid, 'type', type, 'version', 1, 'at', ms, 'correlationId', id, 'data', data)))
from refunded cross join lateral (values
  ('SongUpdated', json_build_object('songId', id, 'uid', uid, 'revision', revision)),
  -- consumers of the version before know no reason "refunded"
  ('SongClosed', json_build_object('songId', id, 'uid', uid, 'reason', 'cancelled', 'free', false))) as event (type, data)
having count(*) > 0;
