import type { Invariant } from '@prelude/platform'
import { CERTIFIED_FILES } from './store/certificate.ts'

/**
 * Each query runs with this service's schema on the search path and answers the rows that break its rule. The table's checks
 * guard single rows as they are written; these also cover several rows, time, and rows older than a check.
 */
export const songsInvariants: readonly Invariant[] = [
  {
    name: 'a ready song has both versions and a time of fulfilment, a pending one has neither',
    of: 'song',
    sql: `select id, status from song
          where (status = 'ready') <> (updated_at is not null)
             or (select count(distinct version) from take where song_id = song.id)
                <> (case when status = 'ready' then 2 else 0 end)`,
  },
  {
    name: 'the takes of a version are numbered from 1',
    of: 'take',
    sql: `select song_id, version, max(take) from take group by song_id, version having max(take) <> count(*) or min(take) <> 1`,
  },
  {
    name: 'no song was handed out unpaid unless as a gift',
    of: 'song',
    sql: `select id, charge from song where status = 'ready' and charge in ('deciding', 'declined')`,
  },
  {
    name: 'every link names a ready song that is there, and none to a refunded song is open',
    of: 'share',
    sql: `select share.id, song_id, status, charge from share left join song on song.id = song_id
          where status is distinct from 'ready' or (charge = 'refunded' and ended_at is null)`,
  },
  {
    name: 'every certificate names a song that is ready, or was erased',
    of: 'certificate',
    sql: `select certificate.id, song_id, status from certificate left join song on song.id = song_id
          where status is distinct from 'ready' and not (status is null and exists (select from erased_song where id = song_id))`,
  },
  {
    name: 'the certificate that every ready song has is of its newest takes',
    of: 'song',
    sql: `select song.id, certificate.id as certificate from song
          left join certificate on song_id = song.id and replaced_by is null
          where status = 'ready' and (certificate.id is null or ${CERTIFIED_FILES} is distinct from (
            select jsonb_agg(jsonb_build_object('version', version, 'take', take, 'sha256', sha256, 'durationMs', duration_ms, 'made', made) order by version)
            from take where song_id = song.id
              and take = (select max(take) from take as newest where newest.song_id = song.id and newest.version = take.version)))`,
  },
  {
    name: 'a song counts the messages of each side, and the unread ones',
    of: 'song',
    sql: `select song.id, messages -> side as counted, written, unread from song
          cross join (values ('owner'), ('studio')) sides (side)
          left join (select song_id, sender, count(*) as written, count(*) filter (where read_at is null) as unread
            from message group by song_id, sender) there on song_id = song.id and sender = side
          where messages -> side is distinct from jsonb_build_object('count', coalesce(written, 0), 'unread', coalesce(unread, 0))`,
  },
  {
    name: 'a revision starts at 1',
    of: 'song',
    sql: `select id, revision from song where revision < 1`,
  },
  {
    name: 'credits has answered every request within an hour',
    of: 'song',
    sql: `select id, created_at from song
          where charge = 'deciding' and created_at < $1::bigint - 3600000`,
  },
  {
    name: 'a promise is given exactly for what was charged or begun',
    of: 'song',
    sql: `select id, charge, promised_at from song
          where (promised_at is null and status in ('pending', 'ready') and (charge = 'charged' or started_at is not null))
             or (promised_at is not null and charge in ('deciding', 'declined'))`,
  },
  {
    name: 'the charge of a closed song is refunded within an hour',
    of: 'song',
    sql: `select id, charge, closed_at from song where status in ('cancelled', 'declined') and charge = 'charged'
            and closed_at < $1::bigint - 3600000`,
  },
  {
    name: 'a song that is late is marked as late within an hour',
    of: 'song',
    sql: `select id, promised_at from song where status = 'pending' and charge in ('charged', 'gift') and late_at is null
            and promised_at < $1::bigint - 3600000`,
  },
]
