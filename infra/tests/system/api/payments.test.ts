import type { Payment } from '@prelude/contracts'
import { beforeAll, expect, test, vi } from 'vitest'
import {
  caller,
  type Caller,
  expectRefusal,
  mail,
  POLL,
  productOfFile,
  requestSong,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { mailsTo } from '../../support/mailbox.ts'
import {
  balanceIs,
  goOut,
  linesOf,
  paymentLike,
  play,
  sendWebhook,
  startCheckout,
  statement,
  webhookSecret,
} from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

const product = productOfFile({ STRIPE_WEBHOOK_SECRET: webhookSecret })
let visitor: Caller
let eve: Somebody
let operator: Somebody

beforeAll(async () => {
  visitor = caller(product())
  eve = await somebody(product())
  operator = await unlockedOperator(product())
})

interface Session {
  metadata: { userId: string; amount: string; myamount: string }
  eventType: string | null
  status: string
  credited: boolean
}

const sessionOf = async (person: Somebody, session: string): Promise<Session> =>
  (await person.call<Session>('GET', `/api/get-session?session_id=${session}`)).body

test('an amount is checked in the order of the contract', async () => {
  const amounts: [unknown, 'invalid_amount' | 'amount_too_low' | 'amount_too_high' | null][] = [
    [undefined, 'invalid_amount'],
    [null, 'invalid_amount'],
    ['25', 'invalid_amount'],
    [true, 'invalid_amount'],
    [[25], 'invalid_amount'],
    [{}, 'invalid_amount'],
    [-1, 'amount_too_low'],
    [0, 'amount_too_low'],
    [24.99, 'amount_too_low'],
    [24.98999, 'amount_too_low'],
    [24.995, 'invalid_amount'],
    [24.990000001, 'invalid_amount'],
    [25.001, 'invalid_amount'],
    [25.0000001, 'invalid_amount'],
    [5000.01, 'amount_too_high'],
    [5000.001, 'amount_too_high'],
    [1e15, 'amount_too_high'],
    [25, null],
    [29.99, null],
    [5000, null],
  ]
  for (const [amount, code] of amounts) {
    const reply = await eve.call<{ code?: string }>('POST', '/api/payments', { json: { amount } })
    expect([amount, reply.body.code]).toEqual([amount, code ?? undefined])
    if (code !== null) expectRefusal(reply, 400, code)
  }
  for (const raw of ['{"amount":1e400}', '{"amount":1e999999}'])
    expectRefusal(
      await eve.call('POST', '/api/payments', { raw, headers: { 'content-type': 'application/json' } }),
      400,
      'invalid_amount',
    )
  const low = await eve.call('POST', '/api/payments', { json: { amount: 1 } })
  expect(low.body.detail).toBe('Amount must be greater than 24.99')
  const { items } = (await eve.call<{ items: Payment[] }>('GET', '/api/payments')).body
  expect(items.map(({ amount }) => amount)).toEqual([5000, 29.99, 25])
})

test('myamount and userId are optional; when sent they must match', async () => {
  const send = (json: unknown) => eve.call('POST', '/api/payments', { json })
  expectRefusal(await send({ amount: 30, myamount: 31 }), 400, 'amount_mismatch')
  expectRefusal(await send({ amount: 30, myamount: '30' }), 400, 'amount_mismatch')
  expectRefusal(await send({ amount: 30, myamount: null }), 400, 'amount_mismatch')
  expectRefusal(await send({ amount: 30, userId: 'somebody' }), 403, 'not_your_account')
  expectRefusal(await send({ amount: 30, userId: null }), 403, 'not_your_account')
  expectRefusal(await send({ amount: 1, userId: 'somebody' }), 400, 'amount_too_low')
  expect((await send({ amount: 30, myamount: 30, userId: eve.uid })).status).toBe(200)
})

test('the alternate provider is off, which is answered after the same checks', async () => {
  const send = (json: unknown) => eve.call('POST', '/api/payments/alternate', { json })
  expectRefusal(await send({ amount: 24.99 }), 400, 'amount_too_low')
  expectRefusal(await send({ amount: 25, userId: 'x' }), 403, 'not_your_account')
  expectRefusal(await send({ amount: 25 }), 501, 'alternate_provider_off')
})

test('a payment redirects to the success page, adds its credits once, sends one mail and is visible by get-session', async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 29.99)
  const open = await paymentLike(ada, checkout.id, { status: 'open' })
  expect(open).toEqual({
    id: checkout.id,
    method: 'card',
    amount: 29.99,
    currency: 'USD',
    credits: 29.99,
    status: 'open',
    refundedAmount: 0,
    url: checkout.url,
    receiptUrl: null,
    revision: expect.any(Number) as number,
    createdAt: expect.any(Number) as number,
  })
  expect(await sessionOf(ada, checkout.session)).toEqual({
    metadata: { userId: ada.uid, amount: '29.99', myamount: '29.99' },
    eventType: null,
    status: 'open',
    credited: false,
  })
  const { web } = product().endpoints
  expect((await press(checkout, 'decline')).page).toMatch(/declined/)
  expect((await press(checkout, 'cancel')).location).toBe(`${web}/payment-failed`)
  await paymentLike(ada, checkout.id, { status: 'open', url: checkout.url })
  expect((await press(checkout, 'pay')).location).toBe(
    `${web}/payment-success?session_id=${checkout.session}`,
  )
  await balanceIs(ada, 29.99)
  const paid = await paymentLike(ada, checkout.id, { status: 'paid', url: null, amount: 29.99 })
  expect(paid.revision).toBeGreaterThan(open.revision)
  expect(
    await vi.waitFor(async () => {
      const session = await sessionOf(ada, checkout.session)
      expect(session.credited).toBe(true)
      return session
    }, POLL),
  ).toMatchObject({ status: 'paid', eventType: 'checkout.session.completed' })
  expect(await statement(ada)).toMatchObject([
    { reason: 'top_up', amount: 29.99, balanceAfter: 29.99, reference: checkout.id },
  ])
  const receipt = await mail(product(), ada.email, /receipt/i)
  expect(receipt.text).toContain('29.99')
  const again = await (await fetch(checkout.url)).text()
  expect(again).not.toMatch(/<button/)
  expect((await play(product(), checkout.session, 'settle')).status).toBe(409)
  await balanceIs(ada, 29.99)
})

test("another person's payment and session are as unknown as none", async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 25)
  expectRefusal(await eve.call('GET', `/api/payments/${checkout.id}`), 404, 'payment_not_found')
  expectRefusal(
    await eve.call('GET', `/api/get-session?session_id=${checkout.session}`),
    404,
    'session_not_found',
  )
  for (const query of ['', '?session_id='])
    expectRefusal(await ada.call('GET', `/api/get-session${query}`), 400, 'session_id_required')
  for (const id of ['x', 'a%20b', "'%3B--", '%C3%A9', 'a'.repeat(1000), '{CHECKOUT_SESSION_ID}'])
    expectRefusal(
      await ada.call('GET', `/api/get-session?session_id=${encodeURI(decodeURI(id))}`),
      404,
      'session_not_found',
    )
  expectRefusal(await ada.call('GET', '/api/get-session?session_id=a&session_id=b'), 400, 'invalid_request')
  expectRefusal(await visitor('GET', `/api/get-session?session_id=${checkout.session}`), 401, 'not_signed_in')
})

test('a delayed payment is processing until it succeeds or fails', async () => {
  const ada = await somebody(product())
  const settles = await startCheckout(ada, 40)
  const fails = await startCheckout(ada, 50)
  for (const checkout of [settles, fails]) {
    expect((await press(checkout, 'pay_later')).location).toContain('/payment-success?session_id=')
    await paymentLike(ada, checkout.id, {
      status: 'processing',
      url: null,
      credits: checkout === settles ? 40 : 50,
    })
  }
  expect(await linesOf(ada)).toEqual([])
  expect(await play(product(), settles.session, 'settle')).toEqual({ status: 200, body: {} })
  expect(await play(product(), fails.session, 'fail')).toEqual({ status: 200, body: {} })
  await paymentLike(ada, settles.id, { status: 'paid' })
  await paymentLike(ada, fails.id, { status: 'failed' })
  await balanceIs(ada, 40)
  expect(await linesOf(ada)).toEqual([['top_up', 40, 40]])
  expect((await play(product(), settles.session, 'fail')).status).toBe(409)
  expect((await play(product(), fails.session, 'settle')).status).toBe(409)
})

test('an open checkout can expire, and an unknown checkout or act is 404', async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 25)
  for (const act of ['refund', 'dispute', 'reinstate', 'settle', 'fail'])
    expect([act, (await play(product(), checkout.session, act)).status]).toEqual([act, 409])
  expect((await play(product(), checkout.session, 'expire')).status).toBe(200)
  await paymentLike(ada, checkout.id, { status: 'expired', url: null })
  expect((await play(product(), checkout.session, 'expire')).status).toBe(409)
  expect((await play(product(), 'cs_test_unknown', 'expire')).status).toBe(404)
  expect((await play(product(), checkout.session, 'explode')).status).toBe(404)
  expect((await play(product(), checkout.session, 'constructor')).status).toBe(404)
  expect(await (await fetch(checkout.url)).text()).not.toMatch(/<button/)
  expect(await linesOf(ada)).toEqual([])
})

test('a refund takes credits back up to the balance; the rest is a debt that the next credits settle first', async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 25)
  await press(checkout, 'pay')
  await balanceIs(ada, 25)
  expect((await play(product(), checkout.session, 'refund', { amount: 5.5 })).status).toBe(200)
  await paymentLike(ada, checkout.id, { status: 'paid', refundedAmount: 5.5 })
  await balanceIs(ada, 19.5)
  await requestSong(ada)
  await balanceIs(ada, 9.5)
  expect((await play(product(), checkout.session, 'refund', { amount: 30 })).status).toBe(409)
  expect((await play(product(), checkout.session, 'refund', { amount: 'all' })).status).toBe(400)
  expect((await play(product(), checkout.session, 'refund')).status).toBe(200)
  await paymentLike(ada, checkout.id, { status: 'refunded', refundedAmount: 25 })
  await balanceIs(ada, 0)
  expect((await play(product(), checkout.session, 'refund')).status).toBe(409)
  const waiting = await requestSong(ada)
  expect(waiting.charge).toBe('declined')
  expect((await ada.call('GET', '/api/credits/debt')).body).toEqual({ debt: 10 })
  const owing = { uid: ada.uid, name: 'Ada Obi', email: ada.email, balance: 0, debt: 10 }
  const { body: debts } = await operator.call<{ items: unknown[] }>('GET', '/api/operator/debts')
  expect(debts.items).toContainEqual(owing)
  const notice = await mail(product(), operator.email, new RegExp(`^${ada.email} owes`))
  expect(notice.subject).toBe(`${ada.email} owes 10.00 credits`)
  expect(notice.text).toContain(checkout.id)
  // 10 are owed: of 25 new ones 15 remain, and 10 of those go to the song that waits
  const second = await startCheckout(ada, 25)
  await press(second, 'pay')
  await balanceIs(ada, 5)
  expect(await linesOf(ada)).toEqual([
    ['song', -10, 5],
    ['debt_settled', -10, 15],
    ['top_up', 25, 25],
    ['payment_reversed', -9.5, 0],
    ['song', -10, 9.5],
    ['payment_reversed', -5.5, 19.5],
    ['top_up', 25, 25],
  ])
  const references = (await statement(ada)).map(({ reference }) => reference)
  expect(references.slice(0, 4)).toEqual([waiting.id, checkout.id, second.id, checkout.id])
  expect((await ada.call('GET', '/api/credits/debt')).body).toEqual({ debt: 0 })
})

test('a failed refund adds the credits again, and the operator gets a mail', async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 25)
  await press(checkout, 'pay')
  await balanceIs(ada, 25)
  const refund = { json: { amount: 20 }, headers: { 'idempotency-key': 'refund-once' } }
  const path = `/api/operator/payments/${checkout.id}/refund`
  for (const _ of [1, 2]) expect((await operator.call('POST', path, refund)).status).toBe(200)
  await balanceIs(ada, 5)
  expect((await play(product(), checkout.session, 'fail-refund')).status).toBe(200)
  await paymentLike(ada, checkout.id, { status: 'paid', refundedAmount: 0 })
  await balanceIs(ada, 25)
  const notice = await mail(product(), operator.email, /refund_failed/)
  expect(notice.text).toContain(checkout.id)
})

test('a dispute takes the credits back, a won one adds them again', async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 60)
  await press(checkout, 'pay')
  await balanceIs(ada, 60)
  expect((await play(product(), checkout.session, 'reinstate')).status).toBe(409)
  expect((await play(product(), checkout.session, 'dispute')).status).toBe(200)
  await paymentLike(ada, checkout.id, { status: 'disputed', refundedAmount: 0 })
  await balanceIs(ada, 0)
  expect((await play(product(), checkout.session, 'dispute')).status).toBe(409)
  expect((await play(product(), checkout.session, 'reinstate')).status).toBe(200)
  await paymentLike(ada, checkout.id, { status: 'paid' })
  await balanceIs(ada, 60)
  expect(await linesOf(ada)).toEqual([
    ['payment_reinstated', 60, 60],
    ['payment_reversed', -60, 0],
    ['top_up', 60, 60],
  ])
})

test('during an outage of the provider a checkout is refused with a sentence, and can be retried under its key', async () => {
  const ada = await somebody(product())
  const keyed = { json: { amount: 25 }, headers: { 'idempotency-key': 'again' } }
  const paidBefore = await startCheckout(ada, 25)
  expect(await goOut(product(), 'long')).toBe(400)
  expect(await goOut(product(), -1)).toBe(400)
  expect(await goOut(product(), 60)).toBe(200)
  const began = Date.now()
  expectRefusal(await ada.call('POST', '/api/payments', keyed), 502, 'checkout_unavailable')
  expect(Date.now() - began).toBeLessThan(15_000)
  expect((await ada.call<{ items: Payment[] }>('GET', '/api/payments')).body.items).toHaveLength(1)
  expect((await fetch(paidBefore.url)).status).toBe(503)
  expect(await goOut(product(), 0)).toBe(200)
  const retried = await ada.call<{ id: string }>('POST', '/api/payments', keyed)
  expect(retried.status).toBe(200)
  const repeated = await ada.call<{ id: string }>('POST', '/api/payments', keyed)
  expect(repeated.body).toEqual(retried.body)
  expect((await ada.call<{ items: Payment[] }>('GET', '/api/payments')).body.items).toHaveLength(2)
})

test('webhooks need a recent signature; a repeated event has one effect; one that does not match its checkout adds no credits', async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 25)
  const event = (id: string, change: Record<string, unknown> = {}, type = 'checkout.session.completed') => ({
    id,
    object: 'event',
    type,
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    data: {
      object: {
        id: checkout.session,
        object: 'checkout.session',
        amount_total: 2500,
        currency: 'usd',
        client_reference_id: checkout.id,
        livemode: false,
        metadata: { userId: ada.uid, amount: '25', myamount: '25' },
        mode: 'payment',
        payment_intent: 'pi_forged',
        payment_status: 'paid',
        status: 'complete',
        ...change,
      },
    },
  })
  const now = Math.floor(Date.now() / 1000)
  for (const sign of [
    { header: '' },
    { header: 'nonsense' },
    { header: `t=${now}` },
    { header: `t=${now},v1=${'0'.repeat(64)}` },
    { header: `t=${now},v1=zz` },
    { secret: 'whsec_wrong' },
    { at: now - 301 },
    { at: now - 86_400 },
  ])
    expectRefusal(await sendWebhook(visitor, event('evt_bad'), sign), 400, 'bad_signature')
  expectRefusal(await visitor('POST', '/api/webhooks/stripe', { raw: '{}' }), 400, 'bad_signature')
  expectRefusal(await visitor('POST', '/api/webhooks/stripe'), 400, 'bad_signature')
  expectRefusal(await visitor('POST', '/api/webhooks/other', { raw: '{}' }), 404, 'not_found')
  expectRefusal(await visitor('POST', '/api/webhooks/paystack', { raw: '{}' }), 400, 'bad_signature')
  expect((await sendWebhook(visitor, '{broken')).body.code).toBe('malformed_json')
  for (const odd of ['[]', 'null', '{}', '{"id":1,"type":2}', '"x"'])
    expect((await sendWebhook(visitor, odd)).status).toBe(400)
  expect((await sendWebhook(visitor, '{}')).body).toMatchObject({ code: 'invalid_request', errors: [] })

  // of another product, or with other values than the checkout: stored, answered 200, nothing credited
  expect((await sendWebhook(visitor, event('evt_1', {}, 'customer.created'))).status).toBe(200)
  expect(
    (await sendWebhook(visitor, event('evt_2', { id: 'cs_test_x', client_reference_id: null }))).status,
  ).toBe(200)
  const wrongs: Record<string, unknown>[] = [
    { amount_total: 250_000 },
    { currency: 'ngn' },
    { livemode: true },
    { metadata: { userId: eve.uid, amount: '25', myamount: '25' } },
  ]
  for (const [n, wrong] of wrongs.entries())
    expect([wrong, (await sendWebhook(visitor, event(`evt_wrong_${n}`, wrong))).status]).toEqual([wrong, 200])
  expect((await sendWebhook(visitor, event('evt_unpaid', { payment_status: 'unpaid' }))).status).toBe(200)
  await vi.waitFor(async () => {
    const notice = (await mailsTo(product(), 'operator@prelude.test')).filter(({ text }) =>
      text.includes(checkout.id),
    )
    expect(notice.length).toBeGreaterThanOrEqual(3)
  }, POLL)
  expect(await linesOf(ada)).toEqual([])
  expect((await ada.call<Payment>('GET', `/api/payments/${checkout.id}`)).body.status).not.toBe('paid')

  const good = event('evt_good')
  const many = await Promise.all(Array.from({ length: 5 }, () => sendWebhook(visitor, good)))
  expect(many.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect((await sendWebhook(visitor, event('evt_good_again'))).status).toBe(200)
  await balanceIs(ada, 25)
  expect(await linesOf(ada)).toEqual([['top_up', 25, 25]])
  await mail(product(), ada.email, /receipt/i)
})

test('payments are listed newest first, by pages', async () => {
  const ada = await somebody(product())
  for (const amount of [25, 26, 27]) await startCheckout(ada, amount)
  interface List {
    items: Payment[]
    nextCursor: string | null
  }
  const first = await ada.call<List>('GET', '/api/payments?limit=2')
  const rest = await ada.call<List>('GET', `/api/payments?limit=2&cursor=${first.body.nextCursor}`)
  expect([...first.body.items, ...rest.body.items].map(({ amount }) => amount)).toEqual([27, 26, 25])
  expect(rest.body.nextCursor).toBeNull()
})

test('without a trusted header or proxy the caller’s headers do not set its country', async () => {
  const claims: Record<string, string>[] = [
    { 'cf-ipcountry': 'NG', 'x-vercel-ip-country': 'NG', 'x-country-code': 'NG' },
    { 'x-forwarded-for': '41.58.0.1' },
    { forwarded: 'for=41.58.0.1', 'x-real-ip': '41.58.0.1', 'true-client-ip': '41.58.0.1' },
  ]
  for (const headers of claims) {
    expect((await visitor('GET', '/api/geo', { headers })).body).toEqual({ country: null, countryCode: null })
    expect((await eve.call('GET', '/api/payment-methods', { headers })).body).toEqual([{ id: 'card' }])
    const transfer = await eve.call('POST', '/api/payments/naira-transfers', { json: {}, headers })
    expectRefusal(transfer, 403, 'not_offered')
  }
})
