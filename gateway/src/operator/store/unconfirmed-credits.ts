import type { Query, Tx } from '@prelude/platform'
import { lockUser } from '../../accounts/store/users.ts'

const HOUR_MS = 60 * 60_000

/** Credits that the operator gives or returns; the same id is the same credits. */
export interface UnconfirmedCredits {
  readonly id: string
  readonly uid: string
  readonly cents: number
}

/**
 * Adds credits to those of the last hour before they are given, unless their sum would exceed `mostCents`. Of two calls at once the
 * second waits for the first.
 */
export async function addUnconfirmed(
  tx: Tx,
  { id, uid, cents }: UnconfirmedCredits,
  { now, mostCents }: { now: number; mostCents: number },
): Promise<'added' | 'repeated' | 'too_much'> {
  await lockUser(tx, uid)
  const { rows } = await tx.query<{ sum: number; isRepeated: boolean }>(
    `select coalesce(sum(cents), 0)::bigint as sum, coalesce(bool_or(id = $2), false) as "isRepeated"
     from unconfirmed_credit where uid = $1 and at > $3`,
    [uid, id, now - HOUR_MS],
  )
  if (rows[0]?.isRepeated) return 'repeated'
  if ((rows[0]?.sum ?? 0) + cents > mostCents) return 'too_much'
  await tx.query(
    `insert into unconfirmed_credit (id, uid, cents, at) values ($1, $2, $3, $4)
     on conflict (id) do update set at = excluded.at`,
    [id, uid, cents, now],
  )
  return 'added'
}

/** Their call was refused. */
export const removeUnconfirmed = async (db: Query, id: string): Promise<void> => {
  await db.query('delete from unconfirmed_credit where id = $1', [id])
}

export const oldUnconfirmed = (now: number) => ({
  table: 'unconfirmed_credit',
  where: 'at <= $1',
  params: [now - HOUR_MS],
})
