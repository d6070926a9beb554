import type { Query, Tx } from '@prelude/platform'
import type { Json } from '../domain/json.ts'

export interface WebhookEvent {
  readonly provider: 'stripe' | 'paystack'
  readonly id: string
  readonly type: string
  readonly objectId: string | null
  readonly paymentIntent: string | null
  readonly receivedAt: number
  /** The kept fields of the body. */
  readonly kept: Json
}

export type Outcome = 'applied' | 'suspicious' | 'ignored' | 'unmatched'

/** False when it is stored already; waits for a concurrent delivery of the same event. */
export const storeEvent = async (tx: Tx, event: WebhookEvent): Promise<boolean> => {
  const { rowCount } = await tx.query(
    `insert into webhook_event (provider, id, type, object_id, payment_intent, kept, outcome, received_at)
     values ($1, $2, $3, $4, $5, $6, 'received', $7) on conflict do nothing`,
    [
      event.provider,
      event.id,
      event.type,
      event.objectId,
      event.paymentIntent,
      JSON.stringify(event.kept),
      event.receivedAt,
    ],
  )
  return rowCount === 1
}

/** Stores the outcome. No fields are kept of an ignored message, nor of one about a closed account. */
export const closeEvent = async (
  tx: Tx,
  event: Pick<WebhookEvent, 'provider' | 'id'>,
  outcome: Outcome,
  payment: { readonly id: string; readonly erased: boolean } | null,
): Promise<void> => {
  await tx.query(
    `update webhook_event set outcome = $3, payment_id = $4, kept = case when $5 then '{}' else kept end
     where provider = $1 and id = $2`,
    [
      event.provider,
      event.id,
      outcome,
      payment?.id ?? null,
      outcome === 'ignored' || (payment?.erased ?? false),
    ],
  )
}

/**
 * Serialises the messages about one charge: else a refund that finds no payment and a success that finds no unmatched refund
 * could both commit. Taken before any row lock.
 */
export const lockIntent = async (tx: Tx, paymentIntent: string): Promise<void> => {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`payment-intent:${paymentIntent}`])
}

/** Events about a charge whose payment was not known, in the order of arrival. */
export const unmatchedEvents = async (
  tx: Tx,
  paymentIntent: string,
): Promise<{ id: string; kept: Json }[]> => {
  const { rows } = await tx.query<{ id: string; kept: Json }>(
    `select id, kept from webhook_event
     where provider = 'stripe' and payment_intent = $1 and outcome = 'unmatched' order by received_at, id`,
    [paymentIntent],
  )
  return rows
}

/** Of these ids, those that are stored. */
export const storedEvents = async (
  q: Query,
  provider: WebhookEvent['provider'],
  ids: readonly string[],
): Promise<Set<string>> => {
  const { rows } = await q.query<{ id: string }>(
    'select id from webhook_event where provider = $1 and id = any($2)',
    [provider, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Messages from before `before` that changed no payment. */
export const withoutEffect = (before: number) => ({
  table: 'webhook_event',
  where: "outcome in ('ignored', 'unmatched') and received_at < $1",
  params: [before],
})
