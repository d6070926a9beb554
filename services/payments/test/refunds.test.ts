import { newId } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { HANG_UP, REFUNDED_AT } from './fake-stripe.ts'
import { type Opened, type PaymentsUnderTest, startPayments } from './start-payments.ts'

async function paid(payments: PaymentsUnderTest): Promise<Opened> {
  const payment = await payments.open()
  await payments.send({ type: 'checkout.session.completed', object: payment.session() })
  return payment
}

const refund = (payments: PaymentsUnderTest, id: string, amountCents: number, refundId = newId()) =>
  payments.api.refund({ params: { id, refundId }, body: { amountCents } })

const reversals = async (payments: PaymentsUnderTest, id: string): Promise<unknown[]> =>
  (await payments.emitted(id))
    .filter(({ type }) => type === 'PaymentReversed')
    .map(({ data }) => data['credits'])

test('a refund goes to the provider once and takes the credits once, also when its webhook follows', async () => {
  await using payments = await startPayments()
  const payment = await paid(payments)
  const refundId = newId()
  const first = await refund(payments, payment.id, 1000, refundId)
  expect(first).toMatchObject({ status: 'paid', refundedCents: 1000, receiptUrl: 'https://r.test/1' })
  await payments.send({ type: 'charge.refunded', object: payment.charge({ amount_refunded: 1000 }) })
  expect(await refund(payments, payment.id, 1000, refundId)).toMatchObject({ refundedCents: 1000 })
  const calls = payments.stripe.calls.filter(({ path }) => path === '/v1/refunds')
  expect(calls).toMatchObject([
    { idempotencyKey: refundId, form: { payment_intent: payment.intent, amount: '1000' } },
  ])
  expect(await refund(payments, payment.id, 1500)).toMatchObject({ status: 'refunded', refundedCents: 2500 })
  expect(await reversals(payments, payment.id)).toEqual([1000, 1500])
})

test('a whole refund whose answer was lost can be repeated under its id', async () => {
  await using payments = await startPayments()
  const payment = await paid(payments)
  const refundId = newId()
  payments.stripe.answers.push(...HANG_UP)
  await expect(refund(payments, payment.id, 2500, refundId)).rejects.toMatchObject({
    code: 'checkout_unavailable',
  })
  await payments.send({ type: 'charge.refunded', object: payment.charge() }) // it did happen
  expect(await refund(payments, payment.id, 2500, refundId)).toMatchObject({ status: 'refunded' })
  expect(await reversals(payments, payment.id)).toEqual([2500])
})

const MINUTE_MS = 60_000
const refundCalls = ({ stripe }: PaymentsUnderTest) =>
  stripe.calls.filter(({ method, path }) => method === 'POST' && path === '/v1/refunds')
const FAILED = { status: 500, body: { error: { type: 'api_error', message: 'oops' } } }

test('an order of the same sum is no second refund while the outcome of the first is not known', async () => {
  await using payments = await startPayments()
  const payment = await paid(payments)
  payments.stripe.answers.push({ ...FAILED, isDone: true })
  const [lost, repeated] = [newId(), newId()]
  await expect(refund(payments, payment.id, 1000, lost)).rejects.toMatchObject({
    code: 'checkout_unavailable',
  })
  // as after a reload of the operator's page, which forgets the key
  for (const id of [repeated, repeated, lost])
    expect(await refund(payments, payment.id, 1000, id)).toMatchObject({ refundedCents: 1000 })
  expect(refundCalls(payments)).toHaveLength(1)
  expect(await refund(payments, payment.id, 1000)).toMatchObject({ refundedCents: 2000 })
  expect(await reversals(payments, payment.id)).toEqual([1000, 1000])
})

test('a refund that the provider failed at is asked for under another key, which would only repeat the error', async () => {
  await using payments = await startPayments()
  const payment = await paid(payments)
  payments.stripe.answers.push(FAILED)
  const refundId = newId()
  await expect(refund(payments, payment.id, 1000, refundId)).rejects.toMatchObject({
    code: 'checkout_unavailable',
  })
  expect(await refund(payments, payment.id, 1000, refundId)).toMatchObject({ refundedCents: 1000 })
  expect(refundCalls(payments).map(({ idempotencyKey }) => idempotencyKey)).toEqual([
    refundId,
    `${refundId}:1`,
  ])
})

test('the outcome of a refund whose answer was lost is known from its webhook: the next order is another one', async () => {
  await using payments = await startPayments()
  const payment = await paid(payments)
  payments.stripe.answers.push({ ...FAILED, isDone: true })
  const refundId = newId()
  await expect(refund(payments, payment.id, 1000, refundId)).rejects.toThrow('checkout_unavailable')
  const made = { id: `re_${refundId}`, object: 'refund', amount: 1000, payment_intent: payment.intent }
  const object = { ...made, status: 'succeeded', metadata: { refundId, paymentId: payment.id } }
  await payments.send({ type: 'refund.created', created: REFUNDED_AT, object })
  expect(await payment.get()).toMatchObject({ refundedCents: 1000 })
  expect(await refund(payments, payment.id, 1000)).toMatchObject({ refundedCents: 2000 })
})

test('while a refund has no outcome, one of the same sum is that refund, and one of another sum is refused', async () => {
  await using payments = await startPayments()
  const payment = await paid(payments)
  payments.stripe.answers.push('too-late')
  const first = refund(payments, payment.id, 1000).catch(({ code }: { code: string }) => code)
  await eventually(() => expect(refundCalls(payments)).toHaveLength(1))
  await expect(refund(payments, payment.id, 500)).rejects.toMatchObject({ code: 'refund_under_way' })
  expect(await refund(payments, payment.id, 1000)).toMatchObject({ refundedCents: 1000 })
  expect(await first).toBe('checkout_unavailable') // its answer came too late
  expect(await refund(payments, payment.id, 500)).toMatchObject({ refundedCents: 1500 })
  expect(await reversals(payments, payment.id)).toEqual([1000, 500])
})

test('a job finishes refunds without an outcome: what was made counts, what was not is removed', async () => {
  await using payments = await startPayments()
  const [made, unmade] = [await paid(payments), await paid(payments)]
  payments.stripe.answers.push({ ...FAILED, isDone: true }, FAILED)
  for (const { id } of [made, unmade])
    await expect(refund(payments, id, 1000)).rejects.toThrow('checkout_unavailable')
  const finish = () => payments.run('finish-refunds')
  await finish()
  expect(await made.get()).toMatchObject({ refundedCents: 0 }) // its answer may still come
  payments.service.clock.pass(MINUTE_MS)
  payments.stripe.answers.push(FAILED) // for one of the two
  await expect(finish()).rejects.toThrow('checkout_unavailable')
  await finish()
  expect(await made.get()).toMatchObject({ refundedCents: 1000 })
  expect(await refund(payments, made.id, 500)).toMatchObject({ refundedCents: 1500 })
  await expect(refund(payments, unmade.id, 500)).rejects.toMatchObject({ code: 'refund_under_way' })
  payments.service.clock.pass(10 * MINUTE_MS)
  await finish()
  expect(await refund(payments, unmade.id, 500)).toMatchObject({ refundedCents: 500 })
})

test('only the paid sum that is left can be refunded', async () => {
  await using payments = await startPayments()
  const [open, payment, disputed] = [await payments.open(), await paid(payments), await paid(payments)]
  await payments.send({ type: 'charge.dispute.created', object: disputed.dispute() })
  const { id: transfer } = await payments.api.recordTransfer({
    params: { id: newId() },
    body: { uid: 'u1', amountKobo: 3_700_000 },
  })
  await expect(refund(payments, newId(), 100)).rejects.toMatchObject({ code: 'payment_not_found' })
  for (const id of [open.id, disputed.id, transfer])
    await expect(refund(payments, id, 100)).rejects.toMatchObject({ code: 'not_paid' })
  await expect(refund(payments, payment.id, 2501)).rejects.toMatchObject({ code: 'refund_too_high' })
  await expect(refund(payments, payment.id, 0)).rejects.toMatchObject({ code: 'invalid_amount' })
  await refund(payments, payment.id, 2500)
  await expect(refund(payments, payment.id, 1)).rejects.toMatchObject({ code: 'refund_too_high' })
})

test('a refusal of the provider is answered by its own code', async () => {
  await using payments = await startPayments()
  const payment = await paid(payments)
  const refusal = (error: Record<string, string>) => ({
    status: 400,
    body: { error: { type: 'invalid_request_error', message: 'no', ...error } },
  })
  payments.stripe.answers.push(refusal({ code: 'charge_already_refunded' }))
  await expect(refund(payments, payment.id, 100)).rejects.toMatchObject({ code: 'refund_too_high' })
  payments.stripe.answers.push(refusal({ param: 'amount' }))
  await expect(refund(payments, payment.id, 100)).rejects.toMatchObject({ code: 'refund_too_high' })
  payments.stripe.answers.push(refusal({ code: 'charge_disputed' }))
  await expect(refund(payments, payment.id, 100)).rejects.toMatchObject({ code: 'not_paid' })
  expect((await payments.service.db.query('select 1 from refund')).rows).toEqual([])
})

const failing = (payment: Opened, type: string, over: Record<string, unknown> = {}) => ({
  type,
  created: REFUNDED_AT + 60,
  object: {
    id: 're_1',
    object: 'refund',
    amount: 1000,
    payment_intent: payment.intent,
    currency: 'usd',
    ...over,
  },
})

test('a refund that failed after all counts no more: the credits come again and the operator gets one mail', async () => {
  await using payments = await startPayments()
  for (const type of ['refund.failed', 'refund.updated', 'charge.refund.updated']) {
    const payment = await paid(payments)
    await payments.send({
      type: 'charge.refunded',
      created: REFUNDED_AT,
      object: payment.charge({ amount_refunded: 1000 }),
    })
    expect(await payment.get()).toMatchObject({ status: 'paid', refundedCents: 1000 })
    const failed = failing(payment, type, { status: 'failed', created: REFUNDED_AT })
    await payments.send(failed)
    await payments.send(failed)
    expect(await payment.get()).toMatchObject({ status: 'paid', refundedCents: 0 })
    const emitted = (await payments.emitted(payment.id))
      .filter(({ type }) => type !== 'PaymentUpdated')
      .slice(1)
    expect(emitted.map(({ type, data }) => [type, data['credits'] ?? data['reason']])).toEqual([
      ['PaymentReversed', 1000],
      ['PaymentReinstated', 1000],
      ['PaymentSuspicious', 'refund_failed re_1'],
    ])
    // what failed can be refunded again, all of it
    await payments.send({
      type: 'charge.refunded',
      created: REFUNDED_AT + 120,
      object: payment.charge({ amount_refunded: 2500 }),
    })
    expect(await payment.get()).toMatchObject({ status: 'refunded', refundedCents: 2500 })
  }
})

test('a refund that is under way counts; cancelled it does not, whichever message comes first', async () => {
  await using payments = await startPayments()
  const [first, second] = [await paid(payments), await paid(payments)]
  const messages = (payment: Opened) => [
    { ...failing(payment, 'refund.created', { status: 'pending' }), created: REFUNDED_AT },
    failing(payment, 'refund.updated', { status: 'canceled' }),
  ]
  const [created, cancelled] = messages(first)
  if (created) await payments.send(created)
  expect(await first.get()).toMatchObject({ refundedCents: 1000 })
  if (cancelled) await payments.send(cancelled)
  for (const message of messages(second).toReversed()) await payments.send(message)
  for (const payment of [first, second]) expect(await payment.get()).toMatchObject({ refundedCents: 0 })
})

test('a refund that fails in the very answer takes nothing from the person', async () => {
  await using payments = await startPayments()
  const payment = await paid(payments)
  payments.stripe.refundStatus = 'failed'
  expect(await refund(payments, payment.id, 1000)).toMatchObject({ status: 'paid', refundedCents: 0 })
  expect(await reversals(payments, payment.id)).toEqual([])
  expect((await payments.emitted(payment.id)).map(({ type }) => type)).toContain('PaymentSuspicious')
  payments.stripe.refundStatus = 'succeeded'
  expect(await refund(payments, payment.id, 2500)).toMatchObject({ status: 'refunded' })
})
