import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { startSandbox } from './sandbox.ts'

const buttons = (html: string): string[] =>
  [...html.matchAll(/<button[^>]*name="outcome" value="(\w+)"/g)].map((match) => match[1] ?? '')

test('the page is one plain form with the four outcomes, without scripts and outside resources', async () => {
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

test('paying redirects to the success page and sends the event of the charge, then of the checkout', async () => {
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

test('a later payment redirects to the success page unpaid; the money arrives or fails afterwards', async () => {
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

test('a decline shows a sentence on the page, cancel redirects back, and the checkout stays open after both', async () => {
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

test('a session expires after a day, or by hand', async () => {
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

test('refunds, disputes and reinstatements can be triggered by hand, when they are possible', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  const act = (name: string, body?: unknown) => sandbox.control(`sessions/${session.id}/${name}`, body)
  const later = ['settle', 'fail', 'refund', 'fail-refund', 'dispute', 'reinstate', 'lose', 'resend']
  for (const name of later) expect(await act(name)).toBe(409)
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
    'refund.created',
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
  ])
  const [refunded, , disputed, , closed] = sandbox.webhook.events.map(({ data }) => data.object)
  expect(refunded).toMatchObject({ object: 'charge', amount_refunded: 1050, refunded: false })
  expect(disputed).toMatchObject({ object: 'dispute', amount: 1450, status: 'needs_response' })
  expect(closed).toMatchObject({ status: 'won' })
  expect(await act('refund')).toBe(200) // what is left
  expect(await act('tickle')).toBe(404)
  expect(await sandbox.control('sessions/cs_unknown/settle')).toBe(404)
})

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)

test('a refund fails, and a dispute is lost', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  const act = (name: string, body?: unknown) => sandbox.control(`sessions/${session.id}/${name}`, body)
  await sandbox.press(session, 'pay')
  expect(await act('fail-refund')).toBe(409)
  for (const amount of [10, 5]) expect(await act('refund', { amount })).toBe(200)
  expect(await act('fail-refund')).toBe(200)
  await sandbox.webhook.expectTypes([
    'charge.succeeded',
    'checkout.session.completed',
    ...Array.from({ length: 2 }, () => ['charge.refunded', 'refund.created']).flat(),
    'refund.updated',
    'refund.failed',
  ])
  expect(sandbox.webhook.events.at(-1)?.data.object).toMatchObject({ amount: 500, status: 'failed' })
  expect(await act('refund', { amount: 15.01 })).toBe(409)
  expect(await act('dispute')).toBe(200)
  expect(await act('lose')).toBe(200)
  expect(await act('reinstate')).toBe(409)
  await expect
    .poll(() => sandbox.webhook.events.at(-1)?.data.object)
    .toMatchObject({ amount: 1500, status: 'lost' })
})

test('events of a checkout can be sent again, with the same or with new ids', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  const act = (name: string) => sandbox.control(`sessions/${session.id}/${name}`)
  await sandbox.press(session, 'pay')
  const expected = ['charge.succeeded', 'checkout.session.completed']
  await sandbox.webhook.expectTypes(expected)
  expect(await act('resend')).toBe(200)
  await sandbox.webhook.expectTypes([...expected, ...expected])
  expect(new Set(sandbox.webhook.events.map(({ id }) => id)).size).toBe(2)
  expect(await act('restate')).toBe(200)
  await sandbox.webhook.expectTypes([...expected, ...expected, ...expected])
  expect(new Set(sandbox.webhook.events.map(({ id }) => id)).size).toBe(4)
})

test('an event can have another amount, currency, mode or person than its checkout', async () => {
  for (const [what, field] of [
    ['amount', { amount_total: 2499 }],
    ['currency', { currency: 'eur' }],
    ['livemode', { livemode: true }],
    ['person', { metadata: {} }],
  ] as const) {
    await using sandbox = await startSandbox()
    const { id } = await sandbox.open()
    expect(await sandbox.control(`sessions/${id}/mismatch`, { what })).toBe(200)
    await sandbox.webhook.expectTypes(['checkout.session.completed'])
    const [event] = sandbox.webhook.events
    expect(event?.data.object).toMatchObject({ id, payment_status: 'paid', ...field })
    expect(event?.livemode).toBe(what === 'livemode')
    expect((await sandbox.stripe.checkout.sessions.retrieve(id)).status).toBe('open')
    expect(await sandbox.control(`sessions/${id}/mismatch`, { what: 'weather' })).toBe(400)
  }
})

test('webhooks can be held and released, in their order or newest first', async () => {
  await using sandbox = await startSandbox()
  expect(await sandbox.control('webhooks', { hold: true })).toBe(200)
  const session = await sandbox.open()
  await sandbox.press(session, 'pay')
  await sandbox.control(`sessions/${session.id}/refund`)
  expect(await sandbox.control('webhooks', { hold: false, order: 'reversed' })).toBe(200)
  await sandbox.webhook.expectTypes([
    'refund.created',
    'charge.refunded',
    'checkout.session.completed',
    'charge.succeeded',
  ])
  for (const body of [undefined, {}, { hold: 'yes' }, { hold: false, order: 'any' }])
    expect(await sandbox.control('webhooks', body)).toBe(400)
})

test('the desk offers the possible acts, executes them, and explains why another is not possible', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open({ customer_email: '"<b>@example.com' })
  const offered = async (): Promise<string[]> => {
    const html = await (await fetch(sandbox.url)).text()
    expect(html).not.toMatch(/<b>|<script|https?:\/\//)
    return [...html.matchAll(/name="button" value="(\w+)"/g)].map(([, name = '']) => name)
  }
  const press = async (name: string) => {
    const body = new URLSearchParams({ session: session.id, button: name })
    return (await fetch(sandbox.url, { method: 'POST', body, redirect: 'manual' })).status
  }
  expect(await offered()).toEqual(['expire', 'mismatch'])
  expect(await press('refund')).toBe(409)
  await sandbox.press(session, 'pay')
  expect(await offered()).toEqual(['refund1', 'refund', 'dispute', 'resend', 'restate', 'mismatch'])
  for (const name of ['refund1', 'failRefund', 'dispute', 'reinstate', 'refund'])
    expect(await press(name)).toBe(303)
  await eventually(() => expect(types(sandbox.webhook.events)).toHaveLength(12))
  expect(
    (await fetch(sandbox.url, { method: 'POST', body: new URLSearchParams({ provider: 'out' }) })).status,
  ).toBe(200)
  await expect(sandbox.open()).rejects.toMatchObject({ statusCode: 503 })
  await fetch(sandbox.url, { method: 'POST', body: new URLSearchParams({ provider: 'back' }) })
  expect((await sandbox.open()).status).toBe('open')
})
