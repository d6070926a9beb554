import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { HANG_UP } from './fake-stripe.ts'
import { type Opened, type PaymentsUnderTest, startPayments } from './start-payments.ts'

async function paid(payments: PaymentsUnderTest): Promise<Opened> {
  const payment = await payments.open()
  await payments.send({ type: 'checkout.session.completed', object: payment.session() })
  return payment
}

const refund = (payments: PaymentsUnderTest, id: string, amountCents: number, refundId = newId()) =>
  payments.api.refund({ params: { id, refundId }, body: { amountCents } })

const reversals = async (payments: PaymentsUnderTest, id: string): Promise<unknown[]> =>
  (await payments.told(id))
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

test('only what is paid and left can be refunded', async () => {
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

test("the provider's own refusal is told as what it means", async () => {
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
