import { newId, type Query } from '@prelude/platform'

const KEPT_MS = 24 * 60 * 60_000
/** A key that a crash left running is taken over after this; one that runs is renewed more often. */
const ABANDONED_AFTER_MS = 30_000
export const RENEW_EVERY_MS = 5_000

export interface KeyScope {
  readonly uid: string
  readonly method: string
  readonly path: string
  readonly key: string
}

export interface KeptAnswer {
  readonly status: number
  /** Null when it has none. */
  readonly body: string | null
}

type Claim =
  | { readonly state: 'run'; readonly resourceId: string; readonly attempt: string }
  | ({ readonly state: 'replay' } & KeptAnswer)
  | { readonly state: 'running' }
  | { readonly state: 'reused' }

/** Of concurrent calls with one key, one gets `run`; the others get its stored response, or `running`. */
export async function claimKey(db: Query, scope: KeyScope, fingerprint: string, now: number): Promise<Claim> {
  for (;;) {
    const attempt = newId()
    const { rows } = await db.query<{ resourceId: string }>(
      `insert into idempotency_key as k
         (uid, method, path, key, fingerprint, resource_id, attempt, created_at, started_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
       on conflict (uid, method, path, key) do update set
         resource_id = case when k.fingerprint = excluded.fingerprint and k.created_at >= $9
                            then k.resource_id else excluded.resource_id end,
         fingerprint = excluded.fingerprint, attempt = excluded.attempt, started_at = excluded.started_at,
         created_at = case when k.created_at >= $9 then k.created_at else excluded.created_at end,
         released = false, status = null, body = null, about_uid = null
       where k.created_at < $9 or k.released
          or (k.status is null and k.started_at < $10 and k.fingerprint = excluded.fingerprint)
       returning resource_id as "resourceId"`,
      [...keyOf(scope), fingerprint, newId(), attempt, now, now - KEPT_MS, now - ABANDONED_AFTER_MS],
    )
    if (rows[0]) return { state: 'run', resourceId: rows[0].resourceId, attempt }
    const known = await readKey(db, scope)
    // released and deleted between the two statements: claim it again
    if (!known) continue
    if (known.fingerprint !== fingerprint) return { state: 'reused' }
    if (known.status === null) return { state: 'running' }
    return { state: 'replay', status: known.status, body: known.body }
  }
}

/** Keeps the claim of a request that still runs. */
export async function renewKey(db: Query, scope: KeyScope, attempt: string, now: number): Promise<void> {
  await db.query(
    `update idempotency_key set started_at = $6
     where uid = $1 and method = $2 and path = $3 and key = $4 and attempt = $5`,
    [...keyOf(scope), attempt, now],
  )
}

/** `aboutUid`: the person whom the answer is about, if any. */
export async function keepAnswer(
  db: Query,
  scope: KeyScope,
  attempt: string,
  answer: KeptAnswer & { readonly aboutUid?: string | undefined },
): Promise<void> {
  await db.query(
    `update idempotency_key set status = $6, body = $7, about_uid = $8
     where uid = $1 and method = $2 and path = $3 and key = $4 and attempt = $5`,
    [...keyOf(scope), attempt, answer.status, answer.body, answer.aboutUid ?? null],
  )
}

/** After a refusal or a failure, perhaps with an effect: the same request or a corrected one may run under the key, and creates the same resource. */
export async function releaseKey(db: Query, scope: KeyScope, attempt: string): Promise<void> {
  await db.query(
    `update idempotency_key set released = true
     where uid = $1 and method = $2 and path = $3 and key = $4 and attempt = $5`,
    [...keyOf(scope), attempt],
  )
}

export const oldKeys = (now: number) => ({
  table: 'idempotency_key',
  where: 'created_at < $1',
  params: [now - KEPT_MS],
})

const keyOf = ({ uid, method, path, key }: KeyScope): string[] => [uid, method, path, key]

async function readKey(
  db: Query,
  scope: KeyScope,
): Promise<{ fingerprint: string; status: number | null; body: string | null } | undefined> {
  const { rows } = await db.query<{ fingerprint: string; status: number | null; body: string | null }>(
    `select fingerprint, status, body from idempotency_key
     where uid = $1 and method = $2 and path = $3 and key = $4 and not released`,
    keyOf(scope),
  )
  return rows[0]
}
