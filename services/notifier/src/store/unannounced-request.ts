import type { Cause, Tx } from '@prelude/platform'
import { GIVE_UP_AFTER_MS } from '../domain/back-off.ts'
import { COLUMNS, RECORD, rowOf } from './message.ts'

interface SongRequest {
  readonly songId: string
  readonly uid: string
  /** For credits. */
  readonly waiting: boolean
}

/** Requests of one person within an hour that are announced one by one; further ones come with the next digest. */
const WAITING_ONE_BY_ONE = 5
const CHARGED_ONE_BY_ONE = 20
const HOUR_MS = 60 * 60_000

/**
 * Queues the operator's mail about each request, or keeps the request for the next digest, once each as waiting and once as
 * charged; one that was announced by a mail of its own as waiting is not announced again. One statement, since each charge runs it.
 */
export function announceRequests(
  tx: Tx,
  requests: readonly { readonly request: SongRequest; readonly cause: Cause }[],
  now: number,
): void {
  const rows = requests.map(({ request, cause }, nth) => ({
    ...rowOf({ kind: 'song-requested', ...request }, cause),
    song_id: request.songId,
    waiting: request.waiting,
    nth,
  }))
  tx.execute(
    `with request as (
       select * from json_to_recordset($1) as message (${RECORD}, song_id text, waiting boolean, nth integer)
       where not exists (select from message other where other.cause = message.cause)
         and not exists (select from unannounced_request kept where kept.song_id = message.song_id and (message.waiting or not kept.waiting))
         and not exists (select from announced_request done where done.song_id = message.song_id and (message.waiting or not done.waiting))
     ), counted as (
       select request.*, case when waiting then ${WAITING_ONE_BY_ONE} else ${CHARGED_ONE_BY_ONE} end <
         row_number() over (partition by uid, waiting order by nth) + (select count(*) from (
           select from message where message.uid = request.uid and kind = 'song-requested' and not dropped
             and (message.refs ->> 'waiting')::boolean = request.waiting and created_at > $4::bigint
           limit ${CHARGED_ONE_BY_ONE}) announced) as too_many
       from request
     ), later as (
       insert into unannounced_request (song_id, uid, declined_at, waiting)
       select song_id, uid, $2, waiting from counted where too_many on conflict (song_id) do nothing
     )
     insert into message (${COLUMNS}, next_at, created_at, give_up_at)
     select ${COLUMNS}, $2, $2, $3 from counted where not too_many on conflict (cause) do nothing`,
    [JSON.stringify(rows), now, now + GIVE_UP_AFTER_MS, now - HOUR_MS],
  )
}

const INTO_ANNOUNCED = `insert into announced_request (song_id, uid, declined_at, waiting) select song_id, uid, declined_at, waiting from gone
  on conflict (song_id) do update set waiting = announced_request.waiting and excluded.waiting`

/** No digest announces these requests: at all (closed ones), or as waiting (charged ones). */
export async function dropUnannounced(
  tx: Tx,
  songIds: readonly string[],
  { onlyWaiting }: { onlyWaiting: boolean },
): Promise<void> {
  await tx.query(
    `with gone as (delete from unannounced_request where song_id = any($1) and (waiting or not $2)
       returning song_id, uid, declined_at, waiting) ${INTO_ANNOUNCED}`,
    [songIds, onlyWaiting],
  )
}

/** A day longer than the log keeps an event, which may be handled again until then. */
export const KEPT_MS = 15 * 24 * 60 * 60_000

export async function forgetAnnounced(tx: Tx, now: number): Promise<void> {
  await tx.query('delete from announced_request where declined_at < $1', [now - KEPT_MS])
}

/** All of each person whose oldest was kept an hour ago or earlier, oldest first. */
export async function takeUnannounced(tx: Tx, now: number): Promise<SongRequest[]> {
  const { rows } = await tx.query<SongRequest & { declinedAt: number }>(
    `with gone as (
       delete from unannounced_request
       where uid in (select uid from unannounced_request where declined_at <= $1)
       returning song_id, uid, declined_at, waiting
     ), kept as (${INTO_ANNOUNCED})
     select song_id as "songId", uid, declined_at as "declinedAt", waiting from gone`,
    [now - HOUR_MS],
  )
  return rows.toSorted((a, b) => a.declinedAt - b.declinedAt || (a.songId < b.songId ? -1 : 1))
}
