import type { Query, Tx } from '@prelude/platform'

export async function markClosed(tx: Tx, uid: string, at: number): Promise<void> {
  await tx.query('insert into closed_account (uid, closed_at) values ($1, $2) on conflict do nothing', [
    uid,
    at,
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
export const openTransfersOf = async (tx: Tx, uid: string): Promise<string[]> =>
  (
    await tx.query<{ id: string }>(
      `select id from payment where uid = $1 and method = 'naira_transfer' and status = 'open'`,
      [uid],
    )
  ).rows.map(({ id }) => id)

/** People whose account was closed since then, but who have payments that are not erased. */
export const closedWithPayments = async (q: Query, since: number): Promise<string[]> =>
  (
    await q.query<{ uid: string }>(
      `select uid from closed_account
       where closed_at >= $1 and exists (select from payment where payment.uid = closed_account.uid and not erased)`,
      [since],
    )
  ).rows.map(({ uid }) => uid)

/** Paid, and not yet added to the balance. */
export const uncreditedOf = async (tx: Tx, uid: string): Promise<string[]> =>
  (
    await tx.query<{ id: string }>(
      'select id from payment where uid = $1 and succeeded and not credited and not erased',
      [uid],
    )
  ).rows.map(({ id }) => id)

/** How many payments of a person have their money on its way. */
export const countUnderWay = async (q: Query, uid: string): Promise<number> =>
  (
    await q.query<{ count: number }>(
      `select count(*) as count from payment
       where uid = $1 and (status = 'processing' or (method = 'naira_transfer' and status = 'open')
         or (succeeded and not credited))`,
      [uid],
    )
  ).rows[0]?.count ?? 0

/** Card checkouts of people whose account was closed that could still be paid. */
export const openCheckoutsOfClosed = async (q: Query): Promise<{ id: string; sessionId: string }[]> =>
  (
    await q.query<{ id: string; sessionId: string }>(
      `select id, provider_session_id as "sessionId" from payment
       where erased and status = 'open' and method = 'card' and provider_session_id is not null
       order by created_at, id limit 50`,
    )
  ).rows
