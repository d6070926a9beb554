import { newId } from '@prelude/platform'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { PAYSTACK_KEY, type PaymentsUnderTest, startPayments } from './start-payments.ts'

interface FakePaystack extends AsyncDisposable {
  readonly url: string
  readonly orders: Record<string, unknown>[]
  failNext: boolean
  /** The status of the answer to a question about a transaction. */
  verifying: number
}

/** The vendor's edge: it takes a reference once. */
async function fakePaystack(): Promise<FakePaystack> {
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.method === 'GET')
      return void res
        .writeHead(fake.verifying, { 'content-type': 'application/json' })
        .end('{"status":false}')
    const order = (await json(req)) as Record<string, unknown>
    const isTaken = fake.orders.some(({ reference }) => reference === order['reference'])
    fake.orders.push(order)
    const failed = fake.failNext || isTaken || req.headers.authorization !== `Bearer ${PAYSTACK_KEY}`
    fake.failNext = false
    const data = { authorization_url: `https://paystack.test/${String(order['reference'])}` }
    res.writeHead(failed ? 400 : 200, { 'content-type': 'application/json' })
    res.end(JSON.stringify(failed ? { status: false } : { status: true, data }))
  }
  const server = createServer((req, res) => void answer(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: FakePaystack = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders: [],
    failNext: false,
    verifying: 200,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}

const start = (payments: PaymentsUnderTest, id: string) =>
  payments.api.startAlternate({ params: { id }, body: { uid: 'u1', email: 'a@b.test', amountCents: 2500 } })

const send = (payments: PaymentsUnderTest, event: unknown, key = PAYSTACK_KEY) => {
  const payload = Buffer.from(JSON.stringify(event))
  const signature = createHmac('sha512', key).update(payload).digest('hex')
  return payments.api.receiveWebhook({
    params: { provider: 'paystack' },
    body: { payload: payload.toString('base64'), signature },
  })
}

const success = (id: string, over: Record<string, unknown> = {}) => ({
  event: 'charge.success',
  data: {
    id: 302,
    reference: id,
    amount: 5_000_000,
    currency: 'NGN',
    status: 'success',
    domain: 'test',
    ...over,
  },
})

test('the alternate provider is off without its key', async () => {
  await using payments = await startPayments()
  await expect(start(payments, newId())).rejects.toMatchObject({
    code: 'alternate_provider_off',
    status: 501,
  })
})

test('with its key 25 dollars are 50,000 Naira and buy 25 credits', async () => {
  await using paystack = await fakePaystack()
  await using payments = await startPayments({ paystackUrl: paystack.url })
  const id = newId()
  expect(await start(payments, id)).toEqual({ url: `https://paystack.test/${id}`, id })
  expect(await start(payments, id)).toEqual({ url: `https://paystack.test/${id}`, id })
  expect(paystack.orders).toMatchObject([
    { reference: id, amount: 5_000_000, currency: 'NGN', email: 'a@b.test' },
  ])
  await expect(send(payments, success(id), 'another key')).rejects.toMatchObject({ code: 'bad_signature' })
  await send(payments, success(id))
  await send(payments, success(id))
  expect(await payments.api.get({ params: { id } })).toMatchObject({
    method: 'alternate',
    status: 'paid',
    amountCents: 5_000_000,
    currency: 'NGN',
    creditsCents: 2500,
  })
  const emitted = (await payments.emitted(id)).filter(({ type }) => type !== 'PaymentUpdated')
  expect(emitted).toEqual([
    { type: 'PaymentSucceeded', data: { paymentId: id, uid: 'u1', credits: 2500, method: 'alternate' } },
  ])
})

test('another amount, currency or mode than the stored one credits nothing and is reported to the operator', async () => {
  for (const [reason, over] of [
    ['amount', { amount: 4_999_999 }],
    ['currency', { currency: 'USD' }],
    ['livemode', { domain: 'live' }],
  ] as const) {
    await using paystack = await fakePaystack()
    await using payments = await startPayments({ paystackUrl: paystack.url })
    const id = newId()
    await start(payments, id)
    await send(payments, success(id, over))
    expect((await payments.api.get({ params: { id } })).status).toBe('open')
    expect((await payments.emitted(id)).at(-1)).toEqual({
      type: 'PaymentSuspicious',
      data: { paymentId: id, uid: 'u1', reason },
    })
  }
})

test('a refused start can be repeated: the provider takes a reference only once', async () => {
  await using paystack = await fakePaystack()
  await using payments = await startPayments({ paystackUrl: paystack.url })
  const id = newId()
  paystack.failNext = true
  await expect(start(payments, id)).rejects.toMatchObject({ code: 'checkout_unavailable' })
  expect((await start(payments, id)).url).toBe(`https://paystack.test/${id}-1`)
  await send(payments, success(`${id}-1`))
  expect((await payments.api.get({ params: { id } })).status).toBe('paid')
})

test('a wrong key ends no checkout, and keeps no card from being asked about; one that is not known expires', async () => {
  await using paystack = await fakePaystack()
  await using payments = await startPayments({ paystackUrl: paystack.url })
  const id = newId()
  await start(payments, id)
  const card = await payments.open()
  payments.stripe.sessions.clear()
  await payments.service.admin.query('update payment set created_at = created_at - 30 * 3600000')
  const job = payments.service.service.jobs?.find(({ name }) => name === 'reconcile-checkouts')
  for (const [status, expected] of [
    [401, 'open'],
    [503, 'open'],
    [400, 'expired'],
  ] as const) {
    paystack.verifying = status
    await job?.run(new AbortController().signal).catch(() => {})
    expect((await payments.api.get({ params: { id } })).status).toBe(expected)
    expect((await card.get()).status).toBe('expired')
  }
})

const refund = (event: string, id: string, over: Record<string, unknown> = {}) => ({
  event,
  data: {
    status: event.slice('refund.'.length),
    transaction_reference: id,
    refund_reference: 'TRF_1',
    amount: 2_000_000,
    currency: 'NGN',
    domain: 'test',
    customer: { first_name: 'Ada', email: 'ada@example.test' },
    ...over,
  },
})

test('a refund at the alternate provider takes its share of the credits, and gives them again when it fails', async () => {
  await using paystack = await fakePaystack()
  await using payments = await startPayments({ paystackUrl: paystack.url })
  const id = newId()
  const get = () => payments.api.get({ params: { id } })
  await start(payments, id)
  await send(payments, refund('refund.processed', id)) // before the payment
  expect(await get()).toMatchObject({ status: 'open', refundedCents: 0 })
  await send(payments, success(id))
  await send(payments, refund('refund.processed', id))
  expect(await get()).toMatchObject({ status: 'paid', refundedCents: 2_000_000 })
  await send(payments, refund('refund.processed', id, { refund_reference: 'TRF_2', amount: '3000000' }))
  expect(await get()).toMatchObject({ status: 'refunded', refundedCents: 5_000_000 })
  await send(payments, refund('refund.pending', id, { refund_reference: 'TRF_3' }))
  await send(payments, refund('refund.failed', id))
  expect(await get()).toMatchObject({ status: 'paid', refundedCents: 3_000_000 })
  const emitted = (await payments.emitted(id)).filter(({ type }) => type !== 'PaymentUpdated')
  expect(emitted.map(({ type, data }) => [type, data['credits'] ?? data['reason']])).toEqual([
    ['PaymentSucceeded', 2500],
    ['PaymentReversed', 1000],
    ['PaymentReversed', 1500],
    ['PaymentReinstated', 1000],
    ['PaymentSuspicious', 'refund_failed TRF_1'],
  ])
})

test('a dispute at the alternate provider moves no credits by itself: the operator gets one mail to check, and one at its end', async () => {
  await using paystack = await fakePaystack()
  await using payments = await startPayments({ paystackUrl: paystack.url })
  const id = newId()
  await start(payments, id)
  await send(payments, success(id))
  const dispute = (what: string, resolution: string | null) => ({
    event: `charge.dispute.${what}`,
    data: {
      id: 358_950,
      refund_amount: 5_000_000,
      currency: 'NGN',
      resolution,
      transaction: { reference: id },
    },
  })
  for (const what of ['create', 'create', 'remind']) await send(payments, dispute(what, null))
  await send(payments, dispute('resolve', 'merchant-accepted'))
  const emitted = (await payments.emitted(id)).filter(({ type }) => type === 'PaymentSuspicious')
  expect(emitted.map(({ data }) => data['reason'])).toEqual([
    'disputed 358950',
    'dispute_resolved 358950 merchant-accepted',
  ])
  expect(await payments.api.get({ params: { id } })).toMatchObject({ status: 'paid', refundedCents: 0 })
})
