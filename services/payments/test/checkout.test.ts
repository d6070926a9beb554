import { CreditsAdded } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { blockedConnections, holdOpen } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { lockCheckouts } from '../src/store/payments.ts'
import { HANG_UP } from './fake-stripe.ts'
import { startPayments } from './start-payments.ts'

test('a checkout is opened at the provider with everything that its webhooks are matched by', async () => {
  await using payments = await startPayments()
  const payment = await payments.open({ uid: 'u1', amountCents: 2550 })
  expect(payments.stripe.calls).toHaveLength(1)
  expect(payments.stripe.calls[0]).toMatchObject({
    idempotencyKey: payment.id,
    form: {
      mode: 'payment',
      client_reference_id: payment.id,
      customer_email: 'a@b.test',
      'metadata[userId]': 'u1',
      'metadata[amount]': '25.5',
      'metadata[myamount]': '25.5',
      'payment_intent_data[metadata][paymentId]': payment.id,
      'line_items[0][price_data][unit_amount]': '2550',
      success_url: 'https://prelude.test/payment-success?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://prelude.test/payment-failed',
    },
  })
  expect(await payment.get()).toMatchObject({
    uid: 'u1',
    method: 'card',
    status: 'open',
    amountCents: 2550,
    creditsCents: 2550,
    currency: 'USD',
    refundedCents: 0,
    url: `https://checkout.test/c/pay/${payment.sessionId}`,
    receiptUrl: null,
  })
  expect(await payments.emitted()).toEqual([
    { type: 'PaymentUpdated', data: { paymentId: payment.id, uid: 'u1', revision: 2 } },
  ])
})

test('the same id again answers the same checkout, and another order under it is refused', async () => {
  await using payments = await startPayments()
  const id = newId()
  const body = { uid: 'u1', email: 'a@b.test', amountCents: 2500 }
  const first = await payments.api.startCheckout({ params: { id }, body })
  expect(await payments.api.startCheckout({ params: { id }, body })).toEqual(first)
  expect(payments.stripe.calls).toHaveLength(1)
  await expect(
    payments.api.startCheckout({ params: { id }, body: { ...body, amountCents: 9900 } }),
  ).rejects.toMatchObject({ code: 'idempotency_key_reused' })
})

test('many concurrent calls with one id end in one checkout', async () => {
  await using payments = await startPayments()
  const id = newId()
  const body = { uid: 'u1', email: 'a@b.test', amountCents: 2500 }
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => payments.api.startCheckout({ params: { id }, body })),
  )
  expect(new Set(answers.map(({ url }) => url)).size).toBe(1)
  expect((await payments.api.list({ query: {} })).items).toHaveLength(1)
})

test.for([
  ['hangs up', HANG_UP],
  ['is broken', [{ status: 503, body: { error: { type: 'api_error', message: 'down' } } }]],
  [
    'refuses',
    [
      {
        status: 400,
        body: { error: { type: 'invalid_request_error', param: 'customer_email', message: 'no' } },
      },
    ],
  ],
] as const)('when the provider %s nothing half-made is seen, and a retry opens it', async ([, answers]) => {
  await using payments = await startPayments()
  const id = newId()
  const body = { uid: 'u1', email: 'a@b.test', amountCents: 2500 }
  payments.stripe.answers.push(...answers)
  await expect(payments.api.startCheckout({ params: { id }, body })).rejects.toMatchObject({
    code: 'checkout_unavailable',
    status: 502,
  })
  expect((await payments.api.list({ query: { uid: 'u1' } })).items).toEqual([])
  await expect(payments.api.get({ params: { id } })).rejects.toMatchObject({ code: 'payment_not_found' })
  expect(await payments.emitted()).toEqual([])
  const { url } = await payments.api.startCheckout({ params: { id }, body })
  expect(url).toContain(id)
  expect((await payments.api.get({ params: { id } })).status).toBe('open')
})

test('a provider that refused for good is asked under a new key, a lost answer under the same', async () => {
  await using payments = await startPayments()
  const id = newId()
  const body = { uid: 'u1', email: 'a@b.test', amountCents: 2500 }
  payments.stripe.answers.push(...HANG_UP, {
    status: 500,
    body: { error: { type: 'api_error', message: 'no' } },
  })
  await payments.api.startCheckout({ params: { id }, body }).catch(() => {})
  await payments.api.startCheckout({ params: { id }, body }).catch(() => {})
  await payments.api.startCheckout({ params: { id }, body })
  expect(payments.stripe.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id, id, id, `${id}:1`])
})

test('the success page reads its own session only, and learns when the credits are there', async () => {
  await using payments = await startPayments()
  const payment = await payments.open({ uid: 'u1' })
  const read = (uid: string, sessionId = payment.sessionId) =>
    payments.api.session({ params: { sessionId }, query: { uid } })
  expect(await read('u1')).toEqual({
    metadata: { userId: 'u1', amount: '25', myamount: '25' },
    eventType: null,
    status: 'open',
    credited: false,
  })
  await expect(read('u2')).rejects.toMatchObject({ code: 'session_not_found' })
  await expect(read('u1', 'cs_unknown')).rejects.toMatchObject({ code: 'session_not_found' })

  await payments.send({ type: 'checkout.session.completed', object: payment.session() })
  expect(await read('u1')).toMatchObject({
    eventType: 'checkout.session.completed',
    status: 'paid',
    credited: false,
  })
  const added = { uid: 'u1', amount: 2500, reason: 'top_up', balance: 2500, version: 1 }
  await payments.service.deliver(CreditsAdded, { ...added, reference: newId() })
  await payments.service.deliver(CreditsAdded, { ...added, reference: null })
  await payments.service.deliver(CreditsAdded, { ...added, reference: 'not-a-uuid' })
  expect((await read('u1')).credited).toBe(false)
  await payments.service.deliver(CreditsAdded, { ...added, reference: payment.id })
  expect((await read('u1')).credited).toBe(true)
  const { revision } = await payment.get()
  expect((await payments.emitted(payment.id)).at(-1)).toEqual({
    type: 'PaymentUpdated',
    data: { paymentId: payment.id, uid: 'u1', revision },
  })
})

test('the success page grants nothing, however often it is read', async () => {
  await using payments = await startPayments()
  const payment = await payments.open({ uid: 'u1' })
  const unpaid = payment.session({ payment_status: 'unpaid' })
  for (const session of [null, unpaid]) {
    if (session) await payments.send({ type: 'checkout.session.completed', object: session })
    for (const _ of [1, 2, 3])
      await payments.api.session({ params: { sessionId: payment.sessionId }, query: { uid: 'u1' } })
  }
  expect((await payment.get()).status).toBe('processing')
  const emitted = (await payments.emitted(payment.id)).map(({ type }) => type)
  expect(emitted.filter((type) => type !== 'PaymentUpdated')).toEqual([])
})

test('lists are newest first, by person or of all, and pages neither repeat nor skip', async () => {
  await using payments = await startPayments()
  const mine: string[] = []
  for (let i = 0; i < 5; i++) {
    mine.unshift((await payments.open({ uid: 'u1' })).id)
    await payments.open({ uid: 'u2' })
  }
  const first = await payments.api.list({ query: { uid: 'u1', limit: 3 } })
  await payments.open({ uid: 'u1' }) // arrives in between
  const second = await payments.api.list({ query: { uid: 'u1', limit: 3, cursor: first.nextCursor ?? '' } })
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(mine)
  expect(second.nextCursor).toBeNull()
  expect((await payments.api.list({ query: {} })).items).toHaveLength(11)
  await expect(payments.api.list({ query: { cursor: 'garbage' } })).rejects.toMatchObject({
    code: 'invalid_cursor',
  })
  await expect(payments.api.get({ params: { id: 'no-uuid' } })).rejects.toMatchObject({
    code: 'payment_not_found',
  })
})

test('a person has a limited number of open checkouts, also at once; ended and failed ones do not count', async () => {
  await using payments = await startPayments()
  const start = (uid: string, mostOpen?: number, id = newId()) =>
    payments.api
      .startCheckout({
        params: { id },
        body: { uid, email: 'a@b.test', amountCents: 2500, ...(mostOpen !== undefined && { mostOpen }) },
      })
      .then(
        () => id,
        (error: { code: string }) => error.code,
      )
  payments.stripe.answers.push(...HANG_UP, ...HANG_UP)
  for (const _ of [1, 2]) expect(await start('u1', 3)).toBe('checkout_unavailable')
  payments.service.clock.pass(60_000)
  const release = await holdOpen(payments.service.db, (tx) => lockCheckouts(tx, 'u1'))
  const starting = Array.from({ length: 6 }, () => start('u1', 3))
  await eventually(async () => expect(await blockedConnections(payments.service.admin)).toBeGreaterThan(1))
  await release()
  const answers = await Promise.all(starting)
  const [opened = '', ...others] = answers.filter((answer) => answer !== 'too_many_checkouts')
  expect(others).toHaveLength(2)
  expect(await start('u1', 3)).toBe('too_many_checkouts')
  expect(await start('u1', 3, opened)).toBe(opened)
  for (const free of [start('u2', 3), start('u1')]) expect(await free).not.toBe('too_many_checkouts')
  const sessionId = (await payments.api.get({ params: { id: opened } })).url?.split('/').at(-1)
  await payments.send({ type: 'checkout.session.expired', object: { id: sessionId, metadata: {} } })
  expect(await start('u1', 4)).not.toBe('too_many_checkouts')
  expect(await start('u1', 4)).toBe('too_many_checkouts')
})
