import { expect, test } from 'vitest'
import { startSandbox } from './sandbox.ts'

const buttons = (html: string): string[] =>
  [...html.matchAll(/<button[^>]*name="outcome" value="(\w+)"/g)].map((match) => match[1] ?? '')

test('the page has one plain form with the four outcomes, and loads nothing', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open({ customer_email: 'a&b"<c>@example.com' })
  const response = await fetch(session.url ?? '')
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(html.match(/<form/g)).toHaveLength(1)
  expect(buttons(html)).toEqual(['pay', 'pay_later', 'decline', 'cancel'])
  expect(html).toContain('$25.00')
  expect(html).not.toContain('<c>')
  expect(html).not.toMatch(/<script|https?:\/\//)
})

test('paying leads to the success page and tells of the charge, then of the checkout', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  expect(await sandbox.press(session, 'pay')).toMatchObject({
    status: 303,
    location: `http://localhost:8080/payment-success?session_id=${session.id}`,
  })
  await sandbox.webhook.expectTypes(['charge.succeeded', 'checkout.session.completed'])
  expect(sandbox.webhook.events[1]).toMatchObject({
    object: 'event',
    livemode: false,
    data: {
      object: {
        id: session.id,
        payment_status: 'paid',
        status: 'complete',
        amount_total: 2500,
        client_reference_id: 'payment-1',
        metadata: { userId: 'u1' },
      },
    },
  })
  expect(sandbox.webhook.events[0]?.data.object).toMatchObject({ metadata: { paymentId: 'payment-1' } })
})

test('paying later leads to the success page unpaid; the money comes or fails afterwards', async () => {
  await using sandbox = await startSandbox()
  const [settled, failed] = [await sandbox.open(), await sandbox.open()]
  expect((await sandbox.press(settled, 'pay_later')).location).toContain('/payment-success?session_id=')
  await sandbox.webhook.expectTypes(['checkout.session.completed'])
  expect(sandbox.webhook.events[0]?.data.object).toMatchObject({
    payment_status: 'unpaid',
    status: 'complete',
  })
  expect(await sandbox.control(`sessions/${settled.id}/settle`)).toBe(200)
  await sandbox.webhook.expectTypes([
    'checkout.session.completed',
    'charge.succeeded',
    'checkout.session.async_payment_succeeded',
  ])
  sandbox.webhook.events.length = 0
  await sandbox.press(failed, 'pay_later')
  expect(await sandbox.control(`sessions/${failed.id}/fail`)).toBe(200)
  await sandbox.webhook.expectTypes(['checkout.session.completed', 'checkout.session.async_payment_failed'])
  expect(await sandbox.control(`sessions/${failed.id}/settle`)).toBe(409)
})

test('a decline stays on the page with a sentence, cancel leads back, and both leave it open', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  const declined = await sandbox.press(session, 'decline')
  expect(declined.status).toBe(200)
  expect(declined.html).toContain('role="alert"')
  expect(declined.html).toContain('declined')
  expect(buttons(declined.html)).toHaveLength(4)
  expect(await sandbox.press(session, 'cancel')).toMatchObject({
    status: 303,
    location: 'http://localhost:8080/payment-failed',
  })
  expect((await sandbox.stripe.checkout.sessions.retrieve(session.id)).status).toBe('open')
  expect(sandbox.webhook.events).toEqual([])
})

test('a finished checkout shows a sentence and no buttons, and cannot be paid again', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  const clicks = await Promise.all([sandbox.press(session, 'pay'), sandbox.press(session, 'pay')])
  expect(new Set(clicks.map(({ status }) => status))).toEqual(new Set([200, 303]))
  const html = await (await fetch(session.url ?? '')).text()
  expect(html).toContain('finished')
  expect(buttons(html)).toEqual([])
  await sandbox.webhook.expectTypes(['charge.succeeded', 'checkout.session.completed'])
  expect((await fetch(`${sandbox.url}/c/pay/cs_unknown`)).status).toBe(404)
})

test('a session ends after a day, or by hand', async () => {
  await using sandbox = await startSandbox()
  const [byHand, byTime] = [await sandbox.open(), await sandbox.open()]
  expect(await sandbox.control(`sessions/${byHand.id}/expire`)).toBe(200)
  expect(await sandbox.control(`sessions/${byHand.id}/expire`)).toBe(409)
  await sandbox.webhook.expectTypes(['checkout.session.expired'])
  sandbox.pass(24 * 60 * 60_000 + 1_000)
  const { html } = await sandbox.press(byTime, 'pay')
  expect(html).toContain('expired')
  expect(buttons(html)).toEqual([])
  await sandbox.webhook.expectTypes(['checkout.session.expired', 'checkout.session.expired'])
})

test('refunds, disputes and reinstatements are played by hand, when they are possible', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  const act = (name: string, body?: unknown) => sandbox.control(`sessions/${session.id}/${name}`, body)
  for (const name of ['settle', 'fail', 'refund', 'dispute', 'reinstate']) expect(await act(name)).toBe(409)
  await sandbox.press(session, 'pay')
  await sandbox.webhook.expectTypes(['charge.succeeded', 'checkout.session.completed'])
  sandbox.webhook.events.length = 0
  expect(await act('refund', { amount: 10.5 })).toBe(200)
  expect(await act('refund', { amount: 14.51 })).toBe(409)
  expect(await act('refund', { amount: 'all' })).toBe(400)
  expect(await act('reinstate')).toBe(409)
  expect(await act('dispute')).toBe(200)
  expect(await act('dispute')).toBe(409)
  expect(await act('refund', { amount: 1 })).toBe(409)
  expect(await act('reinstate')).toBe(200)
  await sandbox.webhook.expectTypes([
    'charge.refunded',
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
  ])
  const [refunded, disputed, , closed] = sandbox.webhook.events.map(({ data }) => data.object)
  expect(refunded).toMatchObject({ object: 'charge', amount_refunded: 1050, refunded: false })
  expect(disputed).toMatchObject({ object: 'dispute', amount: 1450, status: 'needs_response' })
  expect(closed).toMatchObject({ status: 'won' })
  expect(await act('refund')).toBe(200) // what is left
  expect(await act('tickle')).toBe(404)
  expect(await sandbox.control('sessions/cs_unknown/settle')).toBe(404)
})
