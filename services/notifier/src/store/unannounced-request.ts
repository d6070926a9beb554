import type { Tx } from '@prelude/platform'
import { lockAccounts } from './closed-account.ts'

export interface UnannouncedRequest {
  readonly songId: string
  readonly uid: string
}

/** For a person whose account was closed none is kept. */
export async function keepUnannounced(
  tx: Tx,
  requests: readonly UnannouncedRequest[],
  now: number,
): Promise<void> {
  lockAccounts(
    tx,
    requests.map(({ uid }) => uid),
  )
  await tx.query(
    `insert into unannounced_request (song_id, uid, declined_at)
     select "songId", uid, $2 from json_to_recordset($1) as request ("songId" text, uid text)
     where not exists (select from closed_account where closed_account.uid = request.uid)
     on conflict (song_id) do nothing`,
    [JSON.stringify(requests), now],
  )
}

/** Those of these requests whose event was handled before: announced one by one, kept for a digest, or announced by one. */
export async function findHandled(tx: Tx, songIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ songId: string }>(
    `select request.id as "songId" from unnest($1::text[]) as request (id)
     where exists (select from message where cause = 'song-requested:' || request.id)
        or exists (select from unannounced_request where song_id = request.id)
        or exists (select from announced_request where song_id = request.id)`,
    [songIds],
  )
  return new Set(rows.map(({ songId }) => songId))
}

const INTO_ANNOUNCED =
  'insert into announced_request select song_id, uid, declined_at from gone on conflict do nothing'

/** Requests that were charged or closed meanwhile: no digest announces them. */
export async function dropUnannounced(tx: Tx, songIds: readonly string[]): Promise<void> {
  await tx.query(
    `with gone as (delete from unannounced_request where song_id = any($1) returning song_id, uid, declined_at) ${INTO_ANNOUNCED}`,
    [songIds],
  )
}

/** A day longer than the log keeps an event, which may be handled again until then. */
const KEPT_MS = 15 * 24 * 60 * 60_000

export async function forgetAnnounced(tx: Tx, now: number): Promise<void> {
  await tx.query('delete from announced_request where declined_at < $1', [now - KEPT_MS])
}

/** All of each person whose oldest has waited since then or longer, oldest first. */
export async function takeUnannounced(tx: Tx, since: number): Promise<UnannouncedRequest[]> {
  const { rows } = await tx.query<UnannouncedRequest & { declinedAt: number }>(
    `with gone as (
       delete from unannounced_request
       where uid in (select uid from unannounced_request where declined_at <= $1)
       returning song_id, uid, declined_at
     ), kept as (${INTO_ANNOUNCED})
     select song_id as "songId", uid, declined_at as "declinedAt" from gone`,
    [since],
  )
  return rows.toSorted((a, b) => a.declinedAt - b.declinedAt || (a.songId < b.songId ? -1 : 1))
}
