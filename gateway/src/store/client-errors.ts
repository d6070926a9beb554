import type { ClientError, ClientErrorReport } from '@prelude/contracts'
import type { Query } from '@prelude/platform'

/** Anybody can report errors: the latest of so many different ones are kept. */
const MOST_KEPT = 200
const KEPT_MS = 30 * 24 * 60 * 60_000

/** Counts an error that is already reduced. */
export async function recordClientError(db: Query, error: ClientErrorReport, now: number): Promise<void> {
  await db.query(
    `insert into client_error as known (message, release, page, stack, count, first_at, last_at)
     values ($1, $2, $3, $4, 1, $5, $5)
     on conflict (message, release) do update
     set page = excluded.page, stack = coalesce(excluded.stack, known.stack),
         count = known.count + 1, last_at = excluded.last_at`,
    [error.message, error.release, error.page, error.stack ?? null, now],
  )
  await db.query(
    `delete from client_error where (message, release) in
       (select message, release from client_error order by last_at desc offset $1)`,
    [MOST_KEPT],
  )
}

/** The latest first. */
export async function listClientErrors(db: Query): Promise<ClientError[]> {
  const { rows } = await db.query<ClientError>(
    `select message, release, page, stack, count, first_at as "firstAt", last_at as "lastAt"
     from client_error order by last_at desc limit $1`,
    [MOST_KEPT],
  )
  return rows
}

export const oldClientErrors = (now: number) => ({
  table: 'client_error',
  where: 'last_at < $1',
  params: [now - KEPT_MS],
})
