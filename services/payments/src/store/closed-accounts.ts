import type { Query, Tx } from '@prelude/platform'

export interface ClosedAccount {
  readonly uid: string
  /** By the clock of the gateway, ms since the epoch. */
  readonly closedAt: number
}

export async function markClosed(tx: Tx, { uid, closedAt }: ClosedAccount): Promise<void> {
  await tx.query('insert into closed_account (uid, closed_at) values ($1, $2) on conflict do nothing', [
    uid,
    closedAt,
  ])
}

/** Erases a person's addresses at the provider, the operator's texts, and the kept fields of messages. */
export async function erasePaymentsOf(tx: Tx, uid: string): Promise<void> {
  await tx.query(
    `update webhook_event set kept = '{}' from payment
     where payment.uid = $1 and not payment.erased and webhook_event.payment_id = payment.id`,
    [uid],
  )
  await tx.query(
    `update payment set erased = true, url = null, receipt_url = null, reject_reason = null where uid = $1 and not erased`,
    [uid],
  )
}

/** Announced by this person and not settled. */
export const openTransfersOf = async (tx: Tx, uid: string): Promise<string[]> => {
  const { rows } = await tx.query<{ id: string }>(
    `select id from payment where uid = $1 and method = 'naira_transfer' and status = 'open'`,
    [uid],
  )
  return rows.map(({ id }) => id)
}

/** Accounts that were closed since then, but have payments that are not erased. */
export const closedWithPayments = async (q: Query, since: number): Promise<ClosedAccount[]> => {
  const { rows } = await q.query<ClosedAccount>(
    `select uid, closed_at as "closedAt" from closed_account
     where closed_at >= $1 and exists (select from payment where payment.uid = closed_account.uid and not erased)`,
    [since],
  )
  return rows
}

/** The clocks of two hosts usually differ by less. */
const CLOCK_MS = 5_000

/**
 * Paid, and not in the balance that the person gave up: not added to it yet, or added after the account was closed, by an
 * event that was faster than that of the closing.
 */
export const unspendableOf = async (tx: Tx, { uid, closedAt }: ClosedAccount): Promise<string[]> => {
  const { rows } = await tx.query<{ id: string }>(
    `select id from payment
     where uid = $1 and succeeded and not erased and (not credited or credited_at >= $2)
       and refunded_cents < amount_cents`,
    [uid, closedAt - CLOCK_MS],
  )
  return rows.map(({ id }) => id)
}

/** How many payments of a person have their money on its way. */
export const countUnderWay = async (q: Query, uid: string): Promise<number> => {
  const { rows } = await q.query<{ count: number }>(
    `select count(*) as count from payment
     where uid = $1 and (status = 'processing' or (method = 'naira_transfer' and status = 'open')
       or (succeeded and not credited))`,
    [uid],
  )
  return rows[0]?.count ?? 0
}

export interface OpenCheckout {
  readonly id: string
  readonly sessionId: string
  readonly createdAt: number
}

/** Card checkouts of people whose account was closed that could still be paid, oldest first, after `after`. */
export const openCheckoutsOfClosed = async (
  q: Query,
  after: Pick<OpenCheckout, 'id' | 'createdAt'>,
): Promise<OpenCheckout[]> => {
  const { rows } = await q.query<OpenCheckout>(
    `select id, provider_session_id as "sessionId", created_at as "createdAt" from payment
     where erased and status = 'open' and method = 'card' and provider_session_id is not null
       and (created_at, id) > ($1, $2)
     order by created_at, id limit 50`,
    [after.createdAt, after.id],
  )
  return rows
}
