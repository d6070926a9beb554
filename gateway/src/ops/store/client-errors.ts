import type { ClientError, ClientErrorReport } from '@prelude/contracts'
import type { Query } from '@prelude/platform'

/** Anybody can report errors: the latest of so many different ones are kept, and as many that people reported. */
const MOST_KEPT = 100
const KEPT_MS = 30 * 24 * 60 * 60_000

/** Counts an error that is already reduced. `ofPerson`: its sender is signed in. */
export async function recordClientError(
  db: Query,
  error: ClientErrorReport & { readonly ofPerson: boolean },
  now: number,
): Promise<void> {
  await db.query(
    `insert into client_error as known (message, release, page, stack, count, first_at, last_at, of_person)
     values ($1, $2, $3, $4, 1, $5, $5, $6)
     on conflict (message, release) do update
     set page = excluded.page, stack = coalesce(excluded.stack, known.stack),
         count = known.count + 1, last_at = excluded.last_at, of_person = known.of_person or excluded.of_person`,
    [error.message, error.release, error.page, error.stack ?? null, now, error.ofPerson],
  )
  await db.query(
    `with ranked as (
       select message, release, row_number() over (partition by of_person order by last_at desc) as rank from client_error
     )
     delete from client_error where (message, release) in (select message, release from ranked where rank > $1)`,
    [MOST_KEPT],
  )
}

/** The latest first. */
export async function listClientErrors(db: Query): Promise<ClientError[]> {
  const { rows } = await db.query<ClientError>(
    `select message, release, page, stack, count, first_at as "firstAt", last_at as "lastAt"
     from client_error order by last_at desc limit $1`,
    [2 * MOST_KEPT],
  )
  return rows
}

export const oldClientErrors = (now: number) => ({
  table: 'client_error',
  where: 'last_at < $1',
  params: [now - KEPT_MS],
})
