import { FROM_NEWEST, paged, type Query } from '@prelude/platform'

export interface AuditEntry {
  readonly id: string
  readonly at: number
  readonly action: string
  /** `ok`, a problem's code, or `attempted` while no outcome is known. */
  readonly outcome: string
  readonly target: string | null
  readonly detail: string | null
}

export async function recordAttempt(
  db: Query,
  attempt: { id: string; at: number; uid: string; action: string; target: string | null; requestId: string },
): Promise<void> {
  await db.query(
    'insert into audit (id, at, uid, action, target, request_id) values ($1, $2, $3, $4, $5, $6)',
    [attempt.id, attempt.at, attempt.uid, attempt.action, storable(attempt.target), attempt.requestId],
  )
}

export async function recordOutcome(
  db: Query,
  outcome: { id: string; at: number; outcome: string; target: string | null; detail: string | null },
): Promise<void> {
  await db.query(
    'insert into audit_outcome (audit_id, at, outcome, target, detail) values ($1, $2, $3, $4, $5)',
    [outcome.id, outcome.at, outcome.outcome, storable(outcome.target), storable(outcome.detail)],
  )
}

const MAX_LENGTH = 1000

/** A path may hold any text, and calls that are refused for it are recorded as well. */
const storable = (text: string | null): string | null =>
  text && Array.from(text.replaceAll('\0', '\uFFFD').toWellFormed()).slice(0, MAX_LENGTH).join('')

/** Newest first, without the call that asks; those of some actions, or those that were refused. Errors: invalid_cursor. */
export async function listAudit(
  db: Query,
  {
    limit,
    cursor,
    asking,
    actions = null,
    isRefused = false,
  }: {
    limit: number
    cursor: string | undefined
    asking: string
    actions?: readonly string[] | null
    isRefused?: boolean
  },
): Promise<{ items: AuditEntry[]; nextCursor: string | null }> {
  return paged(
    { limit, cursor },
    ['id'],
    async (after, most) => {
      const before = after?.[0] ?? FROM_NEWEST[1]
      const { rows } = await db.query<AuditEntry>(
        `select a.id, a.at, a.action, coalesce(o.outcome, 'attempted') as outcome,
                coalesce(o.target, a.target) as target, o.detail
         from audit a left join audit_outcome o on o.audit_id = a.id
         where a.id < $1 and a.id <> $2 and ($4::text[] is null or a.action = any($4))
           and (not $5 or o.outcome <> 'ok')
         order by a.id desc limit $3`,
        [before, asking, most, actions, isRefused],
      )
      return rows
    },
    ({ id }) => [id],
  )
}
