import type { Query } from '@prelude/platform'

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

/** A refund of this payment of which it is not known whether the provider has made it; one of this sum if there is any. */
export const findUnfinished = async (
  q: Query,
  { paymentId, amountCents }: Pick<Refund, 'paymentId' | 'amountCents'>,
): Promise<Refund | null> => {
  const { rows } = await q.query<Refund>(
    `select ${COLUMNS} from refund
     where payment_id = $1 and provider_refund_id is null and continues is null
     order by amount_cents = $2 desc, created_at limit 1`,
    [paymentId, amountCents],
  )
  return rows[0] ?? null
}

/** Those of which the provider was asked last before then, oldest first. */
export const listUnfinished = async (q: Query, before: number): Promise<Refund[]> => {
  const { rows } = await q.query<Refund>(
    `select ${COLUMNS} from refund
     where provider_refund_id is null and continues is null and greatest(asked_at, created_at) < $1
     order by created_at, id`,
    [before],
  )
  return rows
}

export const insertRefund = async (
  q: Query,
  refund: Pick<Refund, 'id' | 'paymentId' | 'amountCents' | 'continues'>,
  now: number,
): Promise<void> => {
  await q.query(
    `insert into refund (id, payment_id, amount_cents, continues, created_at) values ($1, $2, $3, $4, $5)`,
    [refund.id, refund.paymentId, refund.amountCents, refund.continues, now],
  )
}

/** The provider is about to be asked for it. */
export const markAsked = async (q: Query, id: string, now: number): Promise<void> => {
  await q.query('update refund set asked_at = $2 where id = $1', [id, now])
}

/** With the orders that continued it. */
export const finishRefund = async (q: Query, id: string, providerRefundId: string): Promise<void> => {
  await q.query('update refund set provider_refund_id = $2 where id = $1 or continues = $1', [
    id,
    providerRefundId,
  ])
}

/** The provider answered with an error of its own, which it repeats for the same key. */
export const countAttempt = async (q: Query, { id, attempts }: Refund): Promise<void> => {
  await q.query('update refund set attempts = greatest(attempts, $2) where id = $1', [id, attempts + 1])
}

/** With the orders that continued it: the provider refused it for good. */
export const dropRefund = async (q: Query, id: string): Promise<void> => {
  await q.query('delete from refund where id = $1 and provider_refund_id is null', [id])
}

/** With the orders that continued it, unless the provider was asked for it since then. */
export const dropUnmade = async (q: Query, id: string, since: number): Promise<void> => {
  await q.query(
    'delete from refund where id = $1 and provider_refund_id is null and greatest(asked_at, created_at) < $2',
    [id, since],
  )
}
