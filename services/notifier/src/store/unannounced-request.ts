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

export async function dropUnannounced(tx: Tx, songIds: readonly string[]): Promise<void> {
  await tx.query('delete from unannounced_request where song_id = any($1)', [songIds])
}

/** All of each person whose oldest has waited since then or longer, oldest first. */
export async function deleteUnannounced(tx: Tx, since: number): Promise<UnannouncedRequest[]> {
  const { rows } = await tx.query<UnannouncedRequest & { declinedAt: number }>(
    `delete from unannounced_request
     where uid in (select uid from unannounced_request where declined_at <= $1)
     returning song_id as "songId", uid, declined_at as "declinedAt"`,
    [since],
  )
  return rows.toSorted((a, b) => a.declinedAt - b.declinedAt || (a.songId < b.songId ? -1 : 1))
}
