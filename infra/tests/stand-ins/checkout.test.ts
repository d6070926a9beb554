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

test('refunds, disputes and reinstatements can be triggered by hand, when they are possible', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  const act = (name: string, body?: unknown) => sandbox.control(`sessions/${session.id}/${name}`, body)
  const later = ['settle', 'fail', 'refund', 'fail-refund', 'dispute', 'reinstate', 'lose']
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

test('a webhook that was refused is sent again, also after a restart, which keeps the payment', async () => {
  await using sandbox = await startSandbox()
  const session = await sandbox.open()
  sandbox.webhook.toRefuse = 1
  await sandbox.press(session, 'pay')
  await sandbox.webhook.expectTypes(['checkout.session.completed', 'charge.succeeded'])
  sandbox.webhook.events.length = 0
  sandbox.webhook.toRefuse = Infinity
  await sandbox.control(`sessions/${session.id}/refund`)
  await sandbox.restart()
  sandbox.webhook.toRefuse = 0
  await eventually(() =>
    expect(sandbox.webhook.events.map(({ type }) => type).toSorted()).toEqual([
      'charge.refunded',
      'refund.created',
    ]),
  )
  expect((await sandbox.stripe.checkout.sessions.retrieve(session.id)).payment_status).toBe('paid')
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
  expect(await offered()).toEqual(['expire'])
  expect(await press('refund')).toBe(409)
  await sandbox.press(session, 'pay')
  expect(await offered()).toEqual(['refund1', 'refund', 'dispute'])
  for (const name of ['refund1', 'failRefund', 'dispute', 'reinstate', 'refund'])
    expect(await press(name)).toBe(303)
  await eventually(() => expect(sandbox.webhook.events).toHaveLength(12))
  expect(
    (await fetch(sandbox.url, { method: 'POST', body: new URLSearchParams({ provider: 'out' }) })).status,
  ).toBe(200)
  await expect(sandbox.open()).rejects.toMatchObject({ statusCode: 503 })
  await fetch(sandbox.url, { method: 'POST', body: new URLSearchParams({ provider: 'back' }) })
  expect((await sandbox.open()).status).toBe('open')
})

test('the control API makes the provider fail for a while', async () => {
  await using sandbox = await startSandbox()
  expect(await sandbox.control('outage', { seconds: -1 })).toBe(400)
  expect(await sandbox.control('outage', { seconds: 60 })).toBe(200)
  await expect(sandbox.open()).rejects.toMatchObject({ statusCode: 503 })
  expect(await sandbox.control('outage', { seconds: 0 })).toBe(200)
  expect((await sandbox.open()).status).toBe('open')
})
