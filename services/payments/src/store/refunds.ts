import type { Query } from '@prelude/platform'

export interface Refund {
  readonly id: string
  readonly paymentId: string
  readonly amountCents: number
  /** Null until the provider has answered. */
  readonly providerRefundId: string | null
}

export const findRefund = async (q: Query, id: string): Promise<Refund | null> =>
  (
    await q.query<Refund>(
      `select id, payment_id as "paymentId", amount_cents as "amountCents", provider_refund_id as "providerRefundId"
       from refund where id = $1`,
      [id],
    )
  ).rows[0] ?? null

export const insertRefund = async (q: Query, refund: Omit<Refund, 'providerRefundId'>): Promise<void> => {
  await q.query('insert into refund (id, payment_id, amount_cents, created_at) values ($1, $2, $3, $4)', [
    refund.id,
    refund.paymentId,
    refund.amountCents,
    Date.now(),
  ])
}

export const finishRefund = async (q: Query, id: string, providerRefundId: string): Promise<void> => {
  await q.query('update refund set provider_refund_id = $2 where id = $1', [id, providerRefundId])
}

/** The provider refused it for good: nothing happened. */
export const dropRefund = async (q: Query, id: string): Promise<void> => {
  await q.query('delete from refund where id = $1 and provider_refund_id is null', [id])
}
