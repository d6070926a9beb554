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
  await lockAccounts(
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

/** Those of these requests whose event was handled before: announced one by one, or kept for a digest. */
export async function findKnown(tx: Tx, songIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from unnest($1::text[]) as id
     where exists (select from message where cause = 'song-requested:' || id)
        or exists (select from unannounced_request where song_id = id)`,
    [songIds],
  )
  return new Set(rows.map(({ id }) => id))
}

/** They need no announcement any more. */
export async function dropUnannounced(tx: Tx, songIds: readonly string[]): Promise<void> {
  await tx.query('update unannounced_request set done = true where song_id = any($1) and not done', [songIds])
}

/** Longer than an event is kept in the log, and so can be handled again. */
const KEPT_MS = 15 * 24 * 60 * 60_000

/** Those that needed no announcement any more 15 days ago. */
export async function forgetDone(tx: Tx, now: number): Promise<void> {
  await tx.query('delete from unannounced_request where done and declined_at < $1', [now - KEPT_MS])
}

/** All of each person whose oldest has waited since then or longer, oldest first. */
export async function takeUnannounced(tx: Tx, since: number): Promise<UnannouncedRequest[]> {
  const { rows } = await tx.query<UnannouncedRequest & { declinedAt: number }>(
    `update unannounced_request set done = true
     where not done and uid in (select uid from unannounced_request where declined_at <= $1 and not done)
     returning song_id as "songId", uid, declined_at as "declinedAt"`,
    [since],
  )
  return rows.toSorted((a, b) => a.declinedAt - b.declinedAt || (a.songId < b.songId ? -1 : 1))
}
