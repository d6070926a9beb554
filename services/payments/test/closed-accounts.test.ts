import { AccountClosed, CreditsAdded } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { type PaymentsUnderTest, startPayments } from './start-payments.ts'

const RECEIPT = 'https://pay.example/receipts/of-ada'

const kept = async (payments: PaymentsUnderTest): Promise<string> => {
  const { admin } = payments.service
  const tables = ['payment', 'webhook_event', 'refund', 'event']
  const rows = await Promise.all(
    tables.map(async (table) => (await admin.query(`select * from ${table}`)).rows),
  )
  return JSON.stringify(rows)
}
const typesOf = async (payments: PaymentsUnderTest): Promise<string[]> =>
  (await payments.emitted()).map(({ type }) => type).filter((type) => type !== 'PaymentUpdated')

test('sums and states stay, addresses at the provider and fields of messages are erased', async () => {
  await using payments = await startPayments()
  const paid = await payments.open()
  await payments.send({ type: 'checkout.session.completed', object: paid.session() })
  await payments.send({ type: 'charge.updated', object: paid.charge({ receipt_url: RECEIPT }) })
  const open = await payments.open({ uid: paid.uid })
  const before = await kept(payments)
  expect(before).toContain(open.sessionId)
  await payments.service.deliver(AccountClosed, { uid: paid.uid })
  expect(await paid.get()).toMatchObject({ status: 'paid', amountCents: 2500, receiptUrl: null, url: null })
  expect(await open.get()).toMatchObject({ status: 'open', url: null })
  expect(await kept(payments)).not.toContain(RECEIPT)
})

test('a late payment is booked, kept without its receipt, and reported to the operator', async () => {
  await using payments = await startPayments()
  const late = await payments.open()
  await payments.service.deliver(AccountClosed, { uid: late.uid })
  await payments.send({ type: 'checkout.session.completed', object: late.session() })
  await payments.send({
    type: 'charge.refunded',
    object: late.charge({ receipt_url: RECEIPT, amount_refunded: 2500 }),
  })
  expect(await typesOf(payments)).toEqual(['PaymentSucceeded', 'PaymentSuspicious', 'PaymentReversed'])
  expect((await payments.emitted()).find(({ type }) => type === 'PaymentSuspicious')?.data).toMatchObject({
    reason: 'account_closed',
  })
  expect(await late.get()).toMatchObject({ status: 'refunded', receiptUrl: null })
  expect(await kept(payments)).not.toContain(RECEIPT)
})

test('a payment whose credits are not in the balance yet is under way, and reported to the operator', async () => {
  await using payments = await startPayments()
  const [credited, paid] = [await payments.open({ uid: 'u1' }), await payments.open({ uid: 'u1' })]
  for (const one of [credited, paid])
    await payments.send({ type: 'checkout.session.completed', object: one.session() })
  const added = {
    uid: 'u1',
    amount: 2500,
    reason: 'top_up',
    reference: credited.id,
    balance: 2500,
    version: 1,
  }
  await payments.service.deliver(CreditsAdded, added)
  expect(await payments.api.underWay({ params: { uid: 'u1' } })).toEqual({ count: 1 })
  const later = { at: Date.now() + 3_600_000 }
  for (const _ of [1, 2]) await payments.service.deliver(AccountClosed, { uid: 'u1' }, later)
  const suspicious = (await payments.emitted()).filter(({ type }) => type === 'PaymentSuspicious')
  expect(suspicious.map(({ data }) => data)).toEqual([
    { paymentId: paid.id, uid: 'u1', reason: 'account_closed' },
  ])
})

test('a payment that was credited after the account was closed, by an event that was faster, is reported', async () => {
  await using payments = await startPayments()
  const [before, after] = [await payments.open({ uid: 'u1' }), await payments.open({ uid: 'u1' })]
  for (const one of [before, after]) {
    await payments.send({ type: 'checkout.session.completed', object: one.session() })
    const added = { uid: 'u1', amount: 2500, reason: 'top_up', reference: one.id, balance: 2500, version: 1 }
    await payments.service.deliver(CreditsAdded, added)
  }
  await payments.service.admin.query('update payment set credited_at = credited_at - 3600000 where id = $1', [
    before.id,
  ])
  for (const _ of [1, 2]) await payments.service.deliver(AccountClosed, { uid: 'u1' })
  const suspicious = (await payments.emitted()).filter(({ type }) => type === 'PaymentSuspicious')
  expect(suspicious.map(({ data }) => data['paymentId'])).toEqual([after.id])
})

test('a transfer that waited is rejected, and nothing of a person is under way any more', async () => {
  await using payments = await startPayments()
  const id = newId()
  await payments.api.openTransfer({ params: { id }, body: { uid: 'u1' } })
  const underWay = () => payments.api.underWay({ params: { uid: 'u1' } })
  expect(await underWay()).toEqual({ count: 1 })
  await payments.service.deliver(AccountClosed, { uid: 'u1' })
  expect(await underWay()).toEqual({ count: 0 })
  expect(await payments.api.get({ params: { id } })).toMatchObject({ status: 'rejected' })
  expect(await typesOf(payments)).toEqual(['TransferOpened', 'TransferSettled'])
})

test('a payment that was being started when its account was closed is erased with the next round', async () => {
  await using payments = await startPayments()
  await payments.service.deliver(AccountClosed, { uid: 'u1' })
  const late = await payments.open({ uid: 'u1' })
  expect((await late.get()).url).not.toBeNull()
  await payments.run('erase-late-payments')
  expect((await late.get()).url).toBeNull()
  const again = payments.api.startCheckout({
    params: { id: late.id },
    body: { uid: 'u1', email: 'a@b.test', amountCents: 2500 },
  })
  await expect(again).rejects.toMatchObject({ code: 'not_signed_in' })
})

test('checkouts that are open can be paid no more; one that was paid just then is booked', async () => {
  await using payments = await startPayments()
  const [open, paid] = [await payments.open({ uid: 'u1' }), await payments.open({ uid: 'u1' })]
  const other = await payments.open({ uid: 'u2' })
  payments.stripe.sessions.set(paid.sessionId, paid.session({ payment_intent: { id: paid.intent } }))
  await payments.service.deliver(AccountClosed, { uid: 'u1' })
  payments.stripe.answers.push({ status: 500, body: { error: { type: 'api_error', message: 'oops' } } })
  await expect(payments.run('end-checkouts-of-closed')).rejects.toThrow('checkout_unavailable')
  expect((await paid.get()).status).toBe('paid') // the one after it
  for (const _ of [1, 2]) await payments.run('end-checkouts-of-closed')
  expect(payments.stripe.sessions.get(open.sessionId)?.['status']).toBe('expired')
  expect([(await open.get()).status, (await paid.get()).status, (await other.get()).status]).toEqual([
    'expired',
    'paid',
    'open',
  ])
  expect(payments.stripe.calls.filter(({ path }) => path.endsWith('/expire'))).toHaveLength(3)
  expect(await typesOf(payments)).toEqual(['PaymentSucceeded', 'PaymentSuspicious'])
})
