import type { Tx } from '@prelude/platform'
import { receivable } from '../domain/journals.ts'

/** The charge of this person's song, in hundredths; null when it was never charged, or is another person's. */
export async function chargedForSong(tx: Tx, uid: string, songId: string): Promise<number | null> {
  const { rows } = await tx.query<{ charged_cents: number }>(
    `select e.amount_cents as charged_cents from journal j join entry e on e.journal_id = j.id and e.account = 'sales'
     where j.kind = 'song' and j.key = $1 and j.uid = $2`,
    [songId, uid],
  )
  return rows[0]?.charged_cents ?? null
}

/**
 * The clearing account that a payment's credits came from. Throws for a payment that was never credited: its success
 * comes before its reversal, so the event is parked for the operator.
 */
export async function clearingAccountOf(tx: Tx, paymentId: string): Promise<string> {
  const { rows } = await tx.query<{ account: string }>(
    `select e.account from journal j join entry e on e.journal_id = j.id and e.balance_after_cents is null
     where j.kind = 'payment' and j.key = $1`,
    [paymentId],
  )
  const account = rows[0]?.account
  if (account === undefined) throw new Error(`payment ${paymentId} was never credited`)
  return account
}

export interface Debt {
  readonly paymentId: string
  readonly owedCents: number
}

/** A person's debts, one for each reversed payment, oldest first. */
export async function debtsOf(tx: Tx, uid: string): Promise<Debt[]> {
  const { rows } = await tx.query<{ payment_id: string; owed_cents: number }>(
    `select j.reference as payment_id, -sum(e.amount_cents) as owed_cents
     from entry e join journal j on j.id = e.journal_id
     where e.account = $1 group by j.reference having sum(e.amount_cents) < 0 order by min(e.id)`,
    [receivable(uid)],
  )
  return rows.map((row) => ({ paymentId: row.payment_id, owedCents: row.owed_cents }))
}
