import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { ORDER, startSandbox } from './sandbox.ts'

test('an idempotency key creates one session, and other parameters under it are refused', async () => {
  await using sandbox = await startSandbox()
  const create = (over: object = {}) =>
    sandbox.stripe.checkout.sessions.create({ ...ORDER, ...over }, { idempotencyKey: 'key-1' })
  const [first, ...others] = await Promise.all([create(), create(), create()])
  for (const other of others) expect(other.id).toBe(first.id)
  await sandbox.restart()
  expect((await create()).id).toBe(first.id)
  await expect(create({ client_reference_id: 'other' })).rejects.toMatchObject({
    type: 'StripeIdempotencyError',
  })
  expect((await sandbox.stripe.checkout.sessions.list()).data).toHaveLength(1)
})

test('a payment can be followed from its session to its charge, and refunded in several steps', async () => {
  await using sandbox = await startSandbox()
  const { id } = await sandbox.open()
  await sandbox.press(await sandbox.stripe.checkout.sessions.retrieve(id), 'pay')
  const session = await sandbox.stripe.checkout.sessions.retrieve(id, {
    expand: ['payment_intent.latest_charge'],
  })
  const intent = session.payment_intent as Stripe.PaymentIntent
  const charge = intent.latest_charge as Stripe.Charge
  expect(session).toMatchObject({ payment_status: 'paid', status: 'complete', url: null })
  expect(intent).toMatchObject({ status: 'succeeded', metadata: { paymentId: 'payment-1' } })
  expect(charge).toMatchObject({ amount: 2500, amount_refunded: 0, metadata: { paymentId: 'payment-1' } })
  expect((await fetch(charge.receipt_url ?? '')).status).toBe(200)
  expect((await sandbox.stripe.paymentIntents.retrieve(intent.id)).latest_charge).toBe(charge.id)

  const refund = (amount: number) =>
    sandbox.stripe.refunds.create(
      { payment_intent: intent.id, amount, metadata: { refundId: 'r1' }, expand: ['charge'] },
      { idempotencyKey: `refund-${amount}` },
    )
  expect(await refund(1000)).toMatchObject({ amount: 1000, charge: { id: charge.id, amount_refunded: 1000 } })
  expect(await refund(1000)).toMatchObject({ charge: { amount_refunded: 1000 } })
  await expect(refund(1501)).rejects.toMatchObject({ statusCode: 400, param: 'amount' })
  await sandbox.stripe.refunds.create({ charge: charge.id })
  expect(await sandbox.stripe.charges.retrieve(charge.id)).toMatchObject({
    refunded: true,
    amount_refunded: 2500,
  })
  await expect(refund(1)).rejects.toMatchObject({ code: 'charge_already_refunded' })
})

test('an outage fails the API for its duration', async () => {
  await using sandbox = await startSandbox()
  const { id } = await sandbox.open()
  expect(await sandbox.control('outage', { seconds: 60 })).toBe(200)
  await expect(sandbox.open()).rejects.toMatchObject({ statusCode: 503 })
  expect((await fetch(`${sandbox.url}/c/pay/${id}`)).status).toBe(503)
  sandbox.pass(61_000)
  expect((await sandbox.open()).status).toBe('open')
  await sandbox.control('outage', { seconds: 60 })
  expect(await sandbox.control('outage', { seconds: 0 })).toBe(200)
  expect((await sandbox.open()).status).toBe('open')
  for (const body of [undefined, { seconds: 'long' }, { seconds: -1 }])
    expect(await sandbox.control('outage', body)).toBe(400)
})

test('events are listed newest first, filtered by type, time and delivery', async () => {
  await using sandbox = await startSandbox()
  const { events } = sandbox.stripe
  await sandbox.press(await sandbox.open(), 'pay')
  await sandbox.webhook.expectTypes(['charge.succeeded', 'checkout.session.completed'])
  sandbox.webhook.refuse(1_000)
  sandbox.pass(60_000)
  await sandbox.press(await sandbox.open(), 'pay')
  const types = async (query: Stripe.EventListParams): Promise<string[]> => {
    const found: string[] = []
    for await (const { type } of events.list({ limit: 1, ...query })) found.push(type)
    return found
  }
  const all = ['checkout.session.completed', 'charge.succeeded']
  expect(await types({})).toEqual([...all, ...all])
  expect(await types({ types: ['charge.succeeded', 'charge.refunded'] })).toEqual([
    'charge.succeeded',
    'charge.succeeded',
  ])
  expect(await types({ type: 'checkout.*' })).toHaveLength(2)
  expect(await types({ delivery_success: false })).toEqual(all)
  expect(await types({ created: { gte: Math.floor(Date.now() / 1000) + 30 } })).toEqual(all)
  const [event] = (await events.list()).data
  expect(event).toMatchObject({ object: 'event', data: { object: { object: 'checkout.session' } } })
  await expect(events.list({ type: 'a', types: ['b'] })).rejects.toMatchObject({ statusCode: 400 })
  await expect(events.list({ starting_after: 'evt_unknown' })).rejects.toMatchObject({
    code: 'resource_missing',
  })
})

test('a request whose answer is lost has its effect: the same key gets the answer', async () => {
  await using sandbox = await startSandbox()
  expect(await sandbox.control('lost-answers', { count: 2 })).toBe(200) // the SDK retries once
  const open = () => sandbox.stripe.checkout.sessions.create(ORDER, { idempotencyKey: 'k1' })
  await expect(open()).rejects.toMatchObject({ type: 'StripeConnectionError' })
  await sandbox.control('lost-answers', { count: 0 })
  const { id } = await open()
  expect((await sandbox.stripe.checkout.sessions.list()).data.map((one) => one.id)).toEqual([id])
  for (const body of [undefined, { count: -1 }, { count: 'all' }])
    expect(await sandbox.control('lost-answers', body)).toBe(400)
})
