import { newId } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { blockedConnections, holdOpen } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { closeEvent, storeEvent } from '../src/store/webhook-events.ts'
import { HANG_UP } from './fake-stripe.ts'
import { type Opened, signed, startPayments, type StripeMessage } from './start-payments.ts'

const types = (emitted: { type: string }[]): string[] =>
  emitted.map(({ type }) => type).filter((type) => type !== 'PaymentUpdated')

const completed = (payment: Opened): StripeMessage => ({
  type: 'checkout.session.completed',
  object: payment.session(),
})

test('a webhook that is not signed, wrongly signed, changed, too old or from the future is refused', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  const good = signed(completed(payment))
  const now = Math.floor(payments.service.clock.now() / 1000)
  const old = signed(completed(payment), now - 301)
  const future = signed(completed(payment), now + 3_600)
  const other = signed({ type: 'x', object: {} })
  for (const body of [
    { ...good, signature: '' },
    { ...good, signature: 'v1=00' },
    { ...good, payload: other.payload },
    old,
    future,
  ])
    await expect(payments.api.receiveWebhook({ params: { provider: 'stripe' }, body })).rejects.toMatchObject(
      { code: 'bad_signature' },
    )
  const paystack = { params: { provider: 'paystack' } }
  for (const refused of [
    payments.api.expectWebhook(paystack),
    payments.api.receiveWebhook({ ...paystack, body: good }),
  ])
    await expect(refused).rejects.toMatchObject({ code: 'bad_signature' })
  expect(await payments.api.expectWebhook({ params: { provider: 'stripe' } })).toEqual({})
  expect((await payment.get()).status).toBe('open')
  expect((await payments.service.db.query('select 1 from webhook_event')).rows).toEqual([])
})

test('a paid checkout is credited once, however often and at once its webhook comes', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  const body = signed({ ...completed(payment), id: 'evt_1' })
  await Promise.all(
    Array.from({ length: 24 }, () => payments.api.receiveWebhook({ params: { provider: 'stripe' }, body })),
  )
  await payments.send({ ...completed(payment), id: 'evt_2' })
  expect(types(await payments.emitted())).toEqual(['PaymentSucceeded'])
  expect((await payments.emitted()).find(({ type }) => type === 'PaymentSucceeded')?.data).toEqual({
    paymentId: payment.id,
    uid: payment.uid,
    credits: 2500,
    method: 'card',
  })
  expect(await payment.get()).toMatchObject({ status: 'paid', url: null })
})

test('a webhook that comes again while it is being taken waits for that, and is the same one', async () => {
  await using payments = await startPayments()
  const { db, admin } = payments.service
  const event = {
    provider: 'stripe' as const,
    id: 'evt_1',
    type: 'x',
    objectId: null,
    paymentIntent: null,
    receivedAt: 1,
    kept: {},
  }
  const commit = await holdOpen(db, async (tx) => {
    await storeEvent(tx, event)
    await closeEvent(tx, event, 'ignored', null)
  })
  const again = payments.send({ id: 'evt_1', type: 'x', object: {} }).then(
    () => 'taken',
    () => 'failed',
  )
  await eventually(async () => expect(await blockedConnections(admin)).toBe(1))
  await commit()
  expect(await again).toBe('taken')
})

test('a later payment is processing until its money comes or fails', async () => {
  await using payments = await startPayments()
  const [settled, failed] = [await payments.open(), await payments.open()]
  for (const payment of [settled, failed]) {
    await payments.send({
      type: 'checkout.session.completed',
      object: payment.session({ payment_status: 'unpaid' }),
    })
    expect((await payment.get()).status).toBe('processing')
  }
  await payments.send({ type: 'checkout.session.async_payment_succeeded', object: settled.session() })
  await payments.send({
    type: 'checkout.session.async_payment_failed',
    object: failed.session({ payment_status: 'unpaid' }),
  })
  expect((await settled.get()).status).toBe('paid')
  expect((await failed.get()).status).toBe('failed')
  expect(types(await payments.emitted(failed.id))).toEqual([])
})

test('an expired checkout is closed, and payment still wins', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  const unpaid = { payment_status: 'unpaid', status: 'expired', payment_intent: null }
  await payments.send({ type: 'checkout.session.expired', object: payment.session(unpaid) })
  expect((await payment.get()).status).toBe('expired')
  await payments.send(completed(payment))
  expect((await payment.get()).status).toBe('paid')
})

/** How the session of a webhook differs from the checkout, what is reported of it, and the mode of the webhook. */
const SUSPICIOUS: [Record<string, unknown>, reason: string, livemode?: boolean | null][] = [
  [{ amount_total: 2499 }, 'amount'],
  [{ amount_total: null }, 'amount'],
  [{ currency: 'ngn' }, 'currency'],
  [{ livemode: true }, 'livemode', true],
  [{ livemode: true }, 'livemode', null],
  [{}, 'livemode', true],
  [{ metadata: { userId: 'x' } }, 'person'],
  [{ metadata: {} }, 'person'],
  [{ id: 'cs_other' }, 'session'],
  [{ payment_status: 'no_payment_required' }, 'payment_status'],
]
test('a webhook that differs from its checkout is kept, reported to the operator once, and credits nothing', async () => {
  await using payments = await startPayments()
  const { db } = payments.service
  for (const [difference, reason, livemode = false] of SUSPICIOUS) {
    await payments.service.admin.query('truncate webhook_event')
    const payment = await payments.open()
    const message = { type: 'checkout.session.completed', livemode, object: payment.session(difference) }
    await payments.send(message)
    await payments.send(message)
    const reported = (await payments.emitted(payment.id)).filter(({ type }) => type !== 'PaymentUpdated')
    expect([difference, (await payment.get()).status, reported]).toEqual([
      difference,
      'open',
      [{ type: 'PaymentSuspicious', data: { paymentId: payment.id, uid: payment.uid, reason } }],
    ])
    const stored = await db.query('select outcome from webhook_event')
    expect(stored.rows).toEqual([{ outcome: 'suspicious' }, { outcome: 'suspicious' }])
    await payments.send(completed(payment)) // the right one still counts
    expect((await payment.get()).status).toBe('paid')
  }
})

test('a webhook that says nothing of the mode is not judged by it', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  await payments.send({
    ...completed(payment),
    livemode: null,
    object: payment.session({ livemode: undefined }),
  })
  expect((await payment.get()).status).toBe('paid')
})

test('types and sessions that are not ours are kept and change nothing', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  await payments.send({ type: 'customer.created', object: { id: 'cus_1' } })
  const foreign = { id: 'cs_foreign', client_reference_id: newId() }
  await payments.send({ type: 'checkout.session.completed', object: payment.session(foreign) })
  const unnamed = { id: 'cs_foreign', client_reference_id: null, payment_intent: 'pi_foreign' }
  await payments.send({ type: 'checkout.session.completed', object: payment.session(unnamed) })
  expect((await payment.get()).status).toBe('open')
  expect(types(await payments.emitted())).toEqual([])
  const stored = await payments.service.db.query('select outcome from webhook_event')
  expect(stored.rows).toEqual(Array(3).fill({ outcome: 'ignored' }))
})

test('names and addresses of a webhook are not kept, and the kept fields read the same', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  const who = { name: 'Ada Obi', email: 'ada@example.test', address: { city: 'Lagos' }, phone: '+234 1' }
  const texts = {
    customer_details: who,
    billing_details: who,
    customer_email: who.email,
    receipt_email: who.email,
  }
  const early = {
    type: 'charge.refunded',
    object: payment.charge({ ...texts, metadata: {}, description: who.name }),
  }
  await payments.send(early)
  const session = payment.session({ ...texts, custom_fields: [who.name] })
  await payments.send({ type: 'checkout.session.completed', object: session })
  await payments.send({ type: 'customer.created', object: { id: 'cus_1', ...who } })
  await payments.send({
    type: 'checkout.session.completed',
    object: payment.session({ id: 'cs_foreign', client_reference_id: who.email, payment_intent: null }),
  })
  expect(await payment.get()).toMatchObject({ status: 'refunded', refundedCents: 2500 })
  const { rows } = await payments.service.db.query<{ kept: string }>('select kept::text from webhook_event')
  expect(rows).toHaveLength(4)
  for (const { kept } of rows) expect(kept).not.toMatch(/Ada|@|Lagos|234/)
})

test('a webhook that overtakes the answer of the provider finds its payment', async () => {
  await using payments = await startPayments()
  const id = newId()
  payments.stripe.answers.push(...HANG_UP)
  const order = { params: { id }, body: { uid: 'u1', email: 'a@b.test', amountCents: 2500 } }
  await payments.api.startCheckout(order).catch(() => {})
  const object = {
    id: 'cs_early',
    client_reference_id: id,
    amount_total: 2500,
    currency: 'usd',
    livemode: false,
    payment_status: 'paid',
    metadata: { userId: 'u1' },
  }
  await payments.send({ type: 'checkout.session.completed', object })
  expect(await payments.api.get({ params: { id } })).toMatchObject({ status: 'paid', url: null })
  await payments.api.startCheckout(order)
  expect((await payments.api.get({ params: { id } })).status).toBe('paid')
})

test('refunds are counted by their sum, whatever order they come in', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  const refunded = (cents: number): Promise<void> =>
    payments.send({ type: 'charge.refunded', object: payment.charge({ amount_refunded: cents }) })
  await payments.send(completed(payment))
  await refunded(1000)
  expect(await payment.get()).toMatchObject({
    status: 'paid',
    refundedCents: 1000,
    receiptUrl: 'https://receipts.test/1',
  })
  await refunded(2500)
  await refunded(2000)
  expect(await payment.get()).toMatchObject({ status: 'refunded', refundedCents: 2500 })
  const reversed = (await payments.emitted(payment.id)).filter(({ type }) => type === 'PaymentReversed')
  expect(reversed.map(({ data }) => [data['credits'], data['reversalId']])).toEqual([
    [1000, `${payment.id}:1`],
    [1500, `${payment.id}:2`],
  ])
})

test('a dispute takes the credits, winning it gives them again, losing it does not', async () => {
  await using payments = await startPayments()
  const [won, lost] = [await payments.open(), await payments.open()]
  for (const payment of [won, lost]) {
    await payments.send(completed(payment))
    await payments.send({ type: 'charge.dispute.created', created: 10, object: payment.dispute() })
    await payments.send({ type: 'charge.dispute.funds_withdrawn', created: 10, object: payment.dispute() })
    expect((await payment.get()).status).toBe('disputed')
  }
  await payments.send({ type: 'charge.dispute.closed', created: 20, object: won.dispute({ status: 'won' }) })
  await payments.send({
    type: 'charge.dispute.funds_reinstated',
    created: 20,
    object: won.dispute({ status: 'won' }),
  })
  await payments.send({
    type: 'charge.dispute.closed',
    created: 20,
    object: lost.dispute({ status: 'lost' }),
  })
  expect((await won.get()).status).toBe('paid')
  expect((await lost.get()).status).toBe('disputed')
  expect(types(await payments.emitted(won.id))).toEqual([
    'PaymentSucceeded',
    'PaymentReversed',
    'PaymentReinstated',
  ])
  expect(types(await payments.emitted(lost.id))).toEqual(['PaymentSucceeded', 'PaymentReversed'])
})

test('an inquiry of the bank is not a dispute yet', async () => {
  await using payments = await startPayments()
  const payment = await payments.open()
  await payments.send(completed(payment))
  const inquiry = payment.dispute({ status: 'warning_needs_response' })
  await payments.send({ type: 'charge.dispute.created', object: inquiry })
  expect((await payment.get()).status).toBe('paid')
})
