import type { Query, Tx } from '@prelude/platform'

/** Takes the song's claim unless there is a live one. */
export async function takeClaim(
  query: Query,
  claim: { songId: string; token: string; ttlMs: number; uploads: readonly string[] },
): Promise<boolean> {
  const { rowCount } = await query.query(
    `insert into claim (song_id, token, expires_at, uploads)
     values ($1, $2, now() + $3 * interval '1 millisecond', $4)
     on conflict (song_id) do update
       set token = excluded.token, expires_at = excluded.expires_at, uploads = excluded.uploads
       where claim.expires_at < now()`,
    [claim.songId, claim.token, claim.ttlMs, claim.uploads],
  )
  return rowCount === 1
}

/** False when the claim is not ours any more. One that was just taken is only read, which waits for no disk. */
export async function extendClaim(query: Query, token: string, ttlMs: number): Promise<boolean> {
  const { rowCount } = await query.query(
    `with extended as (
       update claim set expires_at = now() + $2 * interval '1 millisecond'
       where token = $1 and expires_at < now() + $2 * interval '0.9 milliseconds'
     )
     select from claim where token = $1`,
    [token, ttlMs],
  )
  return rowCount === 1
}

/**
 * Serves the objects of the claim and ends it; a song with a replaced version is analysed again some seconds later.
 * Answers the paths that were replaced, and the uploads that were placed under it.
 */
export async function keepClaim(
  query: Query,
  token: string,
): Promise<{ replaced: string[]; uploads: string[] }> {
  const { rows } = await query.query<{ replaced: string[]; uploads: string[] }>(
    `select replaced, uploads from keep_claim($1)`,
    [token],
  )
  return rows[0] ?? { replaced: [], uploads: [] }
}

/** Ends a claim; answers the uploads that were placed under it. */
export async function endClaim(query: Query, token: string): Promise<string[]> {
  const { rows } = await query.query<{ uploads: string[] }>(
    `delete from claim where token = $1 returning uploads`,
    [token],
  )
  return rows[0]?.uploads ?? []
}

/** Tokens that still hold objects though they expired at least `graceMs` ago. */
export async function staleTokens(query: Query, graceMs: number): Promise<string[]> {
  const { rows } = await query.query<{ token: string }>(
    `select distinct audio.claim as token from audio left join claim on claim.token = audio.claim
     where audio.state = 'placed'
       and coalesce(claim.expires_at, audio.created_at) < now() - $1 * interval '1 millisecond'`,
    [graceMs],
  )
  return rows.map(({ token }) => token)
}

/** Ends the song's claim, so that a placement in flight fails. */
export async function endClaimOn(tx: Tx, songId: string): Promise<void> {
  await tx.query('delete from claim where song_id = $1', [songId])
}
