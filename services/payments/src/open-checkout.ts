import { AppError, type Database } from '@prelude/platform'
import { standing } from './domain/facts.ts'
import type { PaymentsMeasures } from './measures.ts'
import { ProviderFailure } from './providers/provider-failure.ts'
import {
  countOpen,
  findPayment,
  insertPayment,
  lockCheckouts,
  lockPayment,
  type NewPayment,
  type Payment,
  updatePayment,
} from './store/payments.ts'

export type Started = { url: string; id: string }
type Opened = { sessionId: string; url: string }

/**
 * Opens a checkout at a provider. The row is inserted first, not yet visible to anybody, so that a webhook that overtakes
 * the provider's answer finds its payment; the provider is called outside any transaction; a repeated id gets the same
 * checkout. Errors: too_many_checkouts, idempotency_key_reused, not_signed_in, checkout_unavailable.
 */
export async function openCheckout(
  db: Database,
  measures: Pick<PaymentsMeasures, 'started'>,
  ordered: Omit<NewPayment, 'status'>,
  mostOpen: number | undefined,
  open: (payment: Payment) => Promise<Opened>,
): Promise<Started> {
  const order = { ...ordered, status: 'creating' } as const
  const payment = (await insertOrder(db, order, mostOpen)) ?? (await findPayment(db, order.id))
  if (payment === null || !isSameOrder(payment, order)) throw new AppError('idempotency_key_reused')
  if (payment.erased) throw new AppError('not_signed_in') // the account was closed since
  if (payment.url !== null) return { url: payment.url, id: payment.id }
  try {
    const started = await keep(db, payment.id, await open(payment))
    measures.started(payment.method)
    return started
  } catch (error) {
    if (error instanceof ProviderFailure && (error.isFinal || payment.method === 'alternate'))
      await countAttempt(db, payment)
    throw error
  }
}

/** Null when the id is taken. Of orders at once, the second waits for the first. Errors: too_many_checkouts. */
const insertOrder = (
  db: Database,
  order: NewPayment,
  mostOpen: number | undefined,
): Promise<Payment | null> =>
  db.transaction(async (tx) => {
    if (mostOpen !== undefined) await lockCheckouts(tx, order.uid)
    const inserted = await insertPayment(tx, order)
    if (inserted !== null && mostOpen !== undefined && (await countOpen(tx, order)) > mostOpen)
      throw new AppError('too_many_checkouts')
    return inserted
  })

const isSameOrder = (payment: Payment, order: NewPayment): boolean =>
  payment.uid === order.uid && payment.method === order.method && payment.amountCents === order.amountCents

const keep = (db: Database, id: string, opened: Opened): Promise<Started> =>
  db.transaction(async (tx) => {
    const payment = await lockPayment(tx, id)
    if (payment?.erased) throw new AppError('not_signed_in')
    if (payment?.url) return { url: payment.url, id }
    if (payment === null || payment.amountCents === null || payment.creditsCents === null)
      throw new Error(`payment ${id} is gone`)
    const { amountCents, creditsCents } = payment
    await updatePayment(tx, payment, {
      ...opened,
      status: standing(payment.facts, { amountCents, creditsCents }).status,
    })
    return { url: opened.url, id }
  })

/** The provider replays its answer to a key, failures too: the next attempt needs another key. */
const countAttempt = async (db: Database, { id, attempts }: Payment): Promise<void> => {
  await db.query(
    `update payment set attempts = attempts + 1 where id = $1 and attempts = $2 and status = 'creating'`,
    [id, attempts],
  )
}
