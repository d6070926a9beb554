import type { Query, Tx } from '@prelude/platform'

export interface Refund {
  readonly id: string
  readonly paymentId: string
  readonly amountCents: number
  /** The refund of unknown outcome that this order continued. */
  readonly continues: string | null
  /** Errors of the provider's own. */
  readonly attempts: number
  /** Null until it is known that the provider has made it. */
  readonly providerRefundId: string | null
}

const COLUMNS = `id, payment_id as "paymentId", amount_cents as "amountCents", continues, attempts,
  provider_refund_id as "providerRefundId"`

export const findRefund = async (q: Query, id: string): Promise<Refund | null> =>
  (await q.query<Refund>(`select ${COLUMNS} from refund where id = $1`, [id])).rows[0] ?? null

/** The provider has answered by then, or its answer is lost. */
const ANSWERED_WITHIN_MS = 5_000

/** A refund of this sum of which nobody knows whether the provider has made it; not one that is under way. */
export const findOfUnknownOutcome = async (
  q: Query,
  { paymentId, amountCents }: Pick<Refund, 'paymentId' | 'amountCents'>,
  now: number,
): Promise<Refund | null> =>
  (
    await q.query<Refund>(
      `select ${COLUMNS} from refund
       where payment_id = $1 and amount_cents = $2 and provider_refund_id is null and continues is null and asked_at < $3
       order by created_at limit 1`,
      [paymentId, amountCents, now - ANSWERED_WITHIN_MS],
    )
  ).rows[0] ?? null

export const insertRefund = async (
  q: Query,
  refund: Pick<Refund, 'id' | 'paymentId' | 'amountCents' | 'continues'>,
  now: number,
): Promise<void> => {
  await q.query(
    `insert into refund (id, payment_id, amount_cents, continues, created_at, asked_at)
     values ($1, $2, $3, $4, $5, $5)`,
    [refund.id, refund.paymentId, refund.amountCents, refund.continues, now],
  )
}

/** With the orders that continued it. */
export const finishRefund = async (q: Query, id: string, providerRefundId: string): Promise<void> => {
  await q.query('update refund set provider_refund_id = $2 where id = $1 or continues = $1', [
    id,
    providerRefundId,
  ])
}

/** Its outcome is not known. `isError`: the provider answered with an error of its own, which it repeats for the same key. */
export const markOutcomeUnknown = async (
  q: Query,
  { id, attempts }: Refund,
  { isError }: { isError: boolean },
): Promise<void> => {
  await q.query('update refund set asked_at = 0, attempts = greatest(attempts, $2) where id = $1', [
    id,
    attempts + (isError ? 1 : 0),
  ])
}

/** With the orders that continued it: the provider refused it for good, or it is to be another refund. */
export const dropRefund = async (tx: Tx, id: string): Promise<void> => {
  await tx.query('delete from refund where id = $1 and provider_refund_id is null', [id])
}
