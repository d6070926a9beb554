import { ALTERNATE_RATE, type BodyOf, type paymentsApi } from '@prelude/contracts'
import { AppError, type Database } from '@prelude/platform'
import type { Parts } from '../deps.ts'
import { NO_FACTS, standing } from '../domain/facts.ts'
import { ProviderFailure } from '../providers/stripe.ts'
import {
  findPayment,
  insertPayment,
  lockPayment,
  type NewPayment,
  type Payment,
  updatePayment,
} from '../store/payments.ts'

type Order = BodyOf<typeof paymentsApi.startCheckout>
type Started = { url: string; id: string }
type Opened = { sessionId: string; url: string }

/** Errors: checkout_unavailable. */
export const startCheckout = (parts: Parts, id: string, order: Order): Promise<Started> =>
  start(
    parts,
    {
      id,
      uid: order.uid,
      method: 'card',
      status: 'creating',
      amountCents: order.amountCents,
      currency: 'USD',
      creditsCents: order.amountCents, // one dollar buys one credit (decision 1)
      livemode: parts.stripe.livemode,
      facts: NO_FACTS,
    },
    ({ attempts }) =>
      parts.stripe.openCheckout({
        ...order,
        paymentId: id,
        idempotencyKey: attempts === 0 ? id : `${id}:${attempts}`,
      }),
  )

/** Errors: alternate_provider_off, checkout_unavailable. */
export async function startAlternate(parts: Parts, id: string, order: Order): Promise<Started> {
  const { paystack } = parts
  if (paystack === null) throw new AppError('alternate_provider_off')
  const amountCents = order.amountCents * ALTERNATE_RATE // kobo (spec §9)
  return start(
    parts,
    {
      id,
      uid: order.uid,
      method: 'alternate',
      status: 'creating',
      amountCents,
      currency: 'NGN',
      creditsCents: order.amountCents,
      livemode: paystack.livemode,
      facts: NO_FACTS,
    },
    async ({ attempts }) => {
      // a reference can be used once, also when its answer was lost
      const reference = attempts === 0 ? id : `${id}-${attempts}`
      const { url } = await paystack.openCheckout({
        reference,
        email: order.email,
        uid: order.uid,
        amountCents,
      })
      return { sessionId: reference, url }
    },
  )
}

/**
 * The row comes first, unseen, so that a webhook that overtakes the provider's answer finds its payment; the provider
 * is called outside any transaction; the same id again gets the same checkout.
 */
async function start(
  { db, measures }: Parts,
  order: NewPayment,
  open: (payment: Payment) => Promise<Opened>,
): Promise<Started> {
  const payment = (await insertPayment(db, order)) ?? (await findPayment(db, order.id))
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

/** The provider keeps what it answered to a key, failures too: the next try needs another key. */
const countAttempt = async (db: Database, { id, attempts }: Payment): Promise<void> => {
  await db.query(
    `update payment set attempts = attempts + 1 where id = $1 and attempts = $2 and status = 'creating'`,
    [id, attempts],
  )
}
