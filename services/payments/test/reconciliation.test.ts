import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { HANG_UP } from './fake-stripe.ts'
import { type Opened, type PaymentsUnderTest, startPayments } from './start-payments.ts'

const HOUR_MS = 3_600_000

const reconcile = async (payments: PaymentsUnderTest): Promise<void> => {
  await payments.service.service.jobs?.[0]?.run(new AbortController().signal)
}

const age = async (payments: PaymentsUnderTest, hours: number): Promise<void> => {
  await payments.service.admin.query('update payment set created_at = created_at - $1', [hours * HOUR_MS])
}

const withCharge = (payment: Opened, over: Record<string, unknown> = {}) =>
  payment.session({
    payment_intent: {
      id: payment.intent,
      status: 'succeeded',
      latest_charge: {
        id: 'ch_1',
        amount_refunded: 500,
        receipt_url: 'https://r.test/2',
        payment_intent: payment.intent,
      },
    },
    ...over,
  })

test('a payment whose webhooks never came is found at the provider, with its refund', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  payments.stripe.sessions.set(payment.sessionId, withCharge(payment))
  await reconcile(payments)
  expect((await payment.get()).status).toBe('open') // young: its webhook may still come
  await age(payments, 1)
  await reconcile(payments)
  await reconcile(payments)
  expect(await payment.get()).toMatchObject({
    status: 'paid',
    refundedCents: 500,
    receiptUrl: 'https://r.test/2',
  })
  const told = (await payments.told(payment.id)).filter(({ type }) => type !== 'PaymentUpdated')
  expect(told.map(({ type }) => type)).toEqual(['PaymentSucceeded', 'PaymentReversed'])
  await payments.send({ type: 'checkout.session.completed', object: payment.session() }) // late after all
  expect((await payments.told(payment.id)).filter(({ type }) => type === 'PaymentSucceeded')).toHaveLength(1)
})

test('what reconciliation finds must match the stored checkout as well', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  payments.stripe.sessions.set(payment.sessionId, withCharge(payment, { amount_total: 100 }))
  await age(payments, 1)
  await reconcile(payments)
  await reconcile(payments)
  expect((await payment.get()).status).toBe('open')
  expect((await payments.told(payment.id)).map(({ type }) => type).slice(1)).toEqual(['PaymentSuspicious'])
})

test('later payments end as they ended at the provider', async () => {
  await using payments = await startPayments()
  const [waiting, failed, expired, open] = await Promise.all([0, 1, 2, 3].map(() => payments.open()))
  const unpaid = (payment: Opened | undefined, intentStatus: string) =>
    payment?.session({
      payment_status: 'unpaid',
      payment_intent: { id: payment.intent, status: intentStatus },
    }) ?? {}
  payments.stripe.sessions.set(waiting?.sessionId ?? '', unpaid(waiting, 'processing'))
  payments.stripe.sessions.set(failed?.sessionId ?? '', unpaid(failed, 'requires_payment_method'))
  payments.stripe.sessions.set(
    expired?.sessionId ?? '',
    expired?.session({ payment_status: 'unpaid', status: 'expired', payment_intent: null }) ?? {},
  )
  await age(payments, 1)
  await reconcile(payments)
  const statuses = await Promise.all(
    [waiting, failed, expired, open].map(async (one) => (await one?.get())?.status),
  )
  expect(statuses).toEqual(['processing', 'failed', 'expired', 'open'])
})

test('a checkout that the provider forgot is closed after its day, one that never came to be is removed', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  payments.stripe.sessions.clear()
  payments.stripe.answers.push(...HANG_UP)
  const order = { params: { id: newId() }, body: { uid: 'u1', email: 'a@b.test', amountCents: 2500 } }
  await payments.api.startCheckout(order).catch(() => {})
  await age(payments, 2)
  await reconcile(payments)
  expect((await payment.get()).status).toBe('open')
  await age(payments, 24)
  await reconcile(payments)
  expect((await payment.get()).status).toBe('expired')
  const left = await payments.service.admin.query<{ id: string }>('select id from payment')
  expect(left.rows).toEqual([{ id: payment.id }])
})

test('a provider that does not answer ends the round and changes nothing', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  await age(payments, 48)
  payments.stripe.answers.push(...HANG_UP)
  await expect(reconcile(payments)).rejects.toMatchObject({ code: 'checkout_unavailable' })
  expect((await payment.get()).status).toBe('open')
})
