import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { HANG_UP } from './fake-stripe.ts'
import { type Opened, type PaymentsUnderTest, startPayments, type StripeMessage } from './start-payments.ts'

const HOUR_MS = 3_600_000

const reconcile = (payments: PaymentsUnderTest) => payments.run('reconcile-checkouts')
const reconcileEvents = (payments: PaymentsUnderTest) => payments.run('reconcile-events')

const age = (payments: PaymentsUnderTest, hours: number): void => payments.service.clock.pass(hours * HOUR_MS)

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
  age(payments, 1)
  await reconcile(payments)
  await reconcile(payments)
  expect(await payment.get()).toMatchObject({
    status: 'paid',
    refundedCents: 500,
    receiptUrl: 'https://r.test/2',
  })
  const emitted = (await payments.emitted(payment.id)).filter(({ type }) => type !== 'PaymentUpdated')
  expect(emitted.map(({ type }) => type)).toEqual(['PaymentSucceeded', 'PaymentReversed'])
  await payments.send({ type: 'checkout.session.completed', object: payment.session() }) // late after all
  expect((await payments.emitted(payment.id)).filter(({ type }) => type === 'PaymentSucceeded')).toHaveLength(
    1,
  )
})

test('a reading of reconciliation must match the stored checkout as well', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  payments.stripe.sessions.set(payment.sessionId, withCharge(payment, { amount_total: 100 }))
  age(payments, 1)
  await reconcile(payments)
  await reconcile(payments)
  expect((await payment.get()).status).toBe('open')
  expect((await payments.emitted(payment.id)).map(({ type }) => type).slice(1)).toEqual(['PaymentSuspicious'])
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
  age(payments, 1)
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
  age(payments, 2)
  await reconcile(payments)
  expect((await payment.get()).status).toBe('open')
  age(payments, 24)
  await reconcile(payments)
  expect((await payment.get()).status).toBe('expired')
  const left = await payments.service.admin.query<{ id: string }>('select id from payment')
  expect(left.rows).toEqual([{ id: payment.id }])
})

test('a checkout that cannot be read does not hold up those after it', async () => {
  await using payments = await startPayments()
  const [first, second] = [await payments.open(), await payments.open()]
  for (const one of [first, second]) payments.stripe.sessions.set(one.sessionId, one.session())
  age(payments, 1)
  payments.stripe.answers.push({ status: 500, body: { error: { type: 'api_error', message: 'oops' } } })
  await expect(reconcile(payments)).rejects.toMatchObject({ code: 'checkout_unavailable' })
  expect([(await first.get()).status, (await second.get()).status]).toEqual(['open', 'paid'])
})

test('a provider that does not answer ends the round and changes nothing', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  age(payments, 48)
  payments.stripe.answers.push(...HANG_UP)
  await expect(reconcile(payments)).rejects.toMatchObject({ code: 'checkout_unavailable' })
  expect((await payment.get()).status).toBe('open')
})

const now = (): number => Math.floor(Date.now() / 1000)

const kept = (payments: PaymentsUnderTest, id: string, created: number, { type, object }: StripeMessage) =>
  payments.stripe.events.unshift({ id, object: 'event', type, created, livemode: false, data: { object } })

test('refunds and disputes of paid payments that never reached us are found at the provider, once', async () => {
  await using payments = await startPayments()
  const [refunded, disputed, sent] = [await payments.open(), await payments.open(), await payments.open()]
  for (const payment of [refunded, disputed, sent])
    await payments.send({ type: 'checkout.session.completed', object: payment.session() })
  const sums = { amount_refunded: 1000 }
  await payments.send({ id: 'evt_sent', type: 'charge.refunded', object: sent.charge(sums) })
  kept(payments, 'evt_sent', now(), { type: 'charge.refunded', object: sent.charge(sums) })
  kept(payments, 'evt_1', now(), { type: 'charge.refunded', object: refunded.charge(sums) })
  kept(payments, 'evt_2', now(), { type: 'charge.dispute.created', object: disputed.dispute() })
  kept(payments, 'evt_3', now(), { type: 'customer.created', object: { id: 'cus_1' } })
  await reconcileEvents(payments)
  await reconcileEvents(payments)
  expect(await refunded.get()).toMatchObject({ status: 'paid', refundedCents: 1000 })
  expect((await disputed.get()).status).toBe('disputed')
  for (const payment of [refunded, disputed, sent])
    expect(
      (await payments.emitted(payment.id)).filter(({ type }) => type === 'PaymentReversed'),
    ).toHaveLength(1)
  await payments.send({ id: 'evt_1', type: 'charge.refunded', object: refunded.charge(sums) }) // late after all
  const stored = await payments.service.db.query('select 1 from webhook_event')
  expect(stored.rowCount).toBe(3 + 3)
})

test('reconciliation lists events since its last round, or since the backup that was restored', async () => {
  await using payments = await startPayments()
  await reconcileEvents(payments)
  await payments.service.admin.query('update reconciled set until = until - 7200') // as in a backup two hours old
  const payment = await payments.open()
  kept(payments, 'evt_1', now() - 3 * 3600 + 60, {
    type: 'checkout.session.completed',
    object: payment.session(),
  })
  kept(payments, 'evt_0', now() - 4 * 3600, {
    type: 'checkout.session.expired',
    object: { id: 'cs_long_ago' },
  })
  await reconcileEvents(payments)
  expect((await payment.get()).status).toBe('paid')
  const ids = await payments.service.db.query<{ id: string }>('select id from webhook_event')
  expect(ids.rows).toEqual([{ id: 'evt_1' }])
})

test('a provider that is out, or one event that cannot be read, is asked for again in the next round', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  payments.stripe.answers.push(...HANG_UP)
  await expect(reconcileEvents(payments)).rejects.toMatchObject({ code: 'checkout_unavailable' })
  kept(payments, 'evt_1', now(), { type: 'checkout.session.completed', object: payment.session() })
  const broken = { id: 'evt_2', object: 'event', type: 'charge.refunded', created: now(), data: null }
  payments.stripe.events.unshift(broken)
  await expect(reconcileEvents(payments)).rejects.toMatchObject({ code: 'invalid_request' })
  expect((await payment.get()).status).toBe('paid')
  expect((await payments.service.db.query('select 1 from reconciled')).rows).toEqual([])
})

test('messages about nothing of ours are deleted after 90 days, those about a payment stay', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  await payments.send({ type: 'checkout.session.completed', object: payment.session() })
  const foreign = { payment_intent: 'pi_foreign', metadata: {} }
  await payments.send({ type: 'charge.refunded', object: payment.charge(foreign) })
  await payments.send({ type: 'customer.created', object: { id: 'cus_1' } })
  const outcomes = async () => {
    await payments.run('delete-old-messages')
    const { rows } = await payments.service.db.query<{ outcome: string }>('select outcome from webhook_event')
    return rows.map(({ outcome }) => outcome).toSorted()
  }
  age(payments, 89 * 24)
  expect(await outcomes()).toEqual(['applied', 'ignored', 'unmatched'])
  age(payments, 2 * 24)
  expect(await outcomes()).toEqual(['applied'])
})
