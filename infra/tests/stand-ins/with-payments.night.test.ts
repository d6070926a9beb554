import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { paymentsApi } from '@prelude/contracts'
import { createPayments, paymentsInvariants } from '@prelude/payments'
import { newId } from '@prelude/platform'
import { testLogger, testService } from '@prelude/platform/testing'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { startCheckout } from '../../stand-ins/checkout/index.ts'
import { WEBHOOK_SECRET } from './sandbox.ts'

/** The payments service and the sandbox over real HTTP both ways; a small server replaces the gateway. */
async function startBoth() {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  const server = createServer((req, res) => void forward(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const checkout = await startCheckout({
    port: 0,
    dataFile: join(folder, 'checkout.json'),
    webhookSecret: WEBHOOK_SECRET,
    webhookUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    logger: testLogger(),
  })
  const service = await testService(({ db, clock, logger }) =>
    createPayments({
      db,
      clock,
      logger,
      config: {
        publicUrl: 'http://localhost:8080',
        stripe: { secretKey: checkout.secretKey, webhookSecret: WEBHOOK_SECRET, apiUrl: checkout.url },
        paystackSecretKey: null,
      },
    }),
  )
  const api = service.api(paymentsApi)
  const forward = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const payload = (await buffer(req)).toString('base64')
    const signature = String(req.headers['stripe-signature'])
    const body = { payload, signature }
    const status = await api.receiveWebhook({ params: { provider: 'stripe' }, body }).then(
      () => 200,
      () => 503,
    )
    res.writeHead(status).end()
  }
  const post = async (path: string, init: RequestInit = {}): Promise<number> => {
    const response = await fetch(path, { method: 'POST', redirect: 'manual', ...init })
    await response.body?.cancel()
    return response.status
  }
  return {
    api,
    service,
    start: async () => {
      const id = newId()
      const order = { uid: 'u1', email: 'ada@example.com', amountCents: 2500 }
      const { url } = await api.startCheckout({ params: { id }, body: order })
      const sessionId = url.split('/').at(-1) ?? ''
      return {
        id,
        press: (outcome: string) => post(url, { body: new URLSearchParams({ outcome }) }),
        control: (act: string, body: unknown = {}) =>
          post(`${checkout.url}/control/sessions/${sessionId}/${act}`, { body: JSON.stringify(body) }),
        until: async (expected: object): Promise<void> => {
          await eventually(async () => expect(await api.get({ params: { id } })).toMatchObject(expected))
        },
        session: () => api.session({ params: { sessionId }, query: { uid: 'u1' } }),
      }
    },
    outage: (seconds: number) =>
      post(`${checkout.url}/control/outage`, { body: JSON.stringify({ seconds }) }),
    /** The events about a payment that credits receives. */
    ledgerOf: async (id: string): Promise<number> =>
      (await service.emitted())
        .map(({ type, data }) => ({ type, data: data as Record<string, unknown> }))
        .filter(({ data }) => data['paymentId'] === id)
        .reduce((sum, { type, data }) => {
          const credits = Number(data['credits'] ?? 0)
          return sum + (type === 'PaymentReversed' ? -credits : credits)
        }, 0),
    [Symbol.asyncDispose]: async () => {
      await checkout.stop()
      for (const { name, sql } of paymentsInvariants)
        expect({ name, breaches: (await service.db.query(sql)).rows }).toEqual({ name, breaches: [] })
      await service[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true })
    },
  }
}

test('the life of a payment: paid, partly refunded, disputed, reinstated, refunded', async () => {
  await using both = await startBoth()
  const payment = await both.start()
  await payment.until({ status: 'open' })
  expect(await payment.press('decline')).toBe(200)
  expect(await payment.press('pay')).toBe(303)
  await payment.until({ status: 'paid', url: null, receiptUrl: expect.stringContaining('/receipts/') })
  expect(await payment.session()).toMatchObject({ eventType: 'checkout.session.completed', status: 'paid' })
  await payment.control('refund', { amount: 5 })
  await payment.until({ status: 'paid', refundedCents: 500 })
  await payment.control('dispute')
  await payment.until({ status: 'disputed' })
  expect(await both.ledgerOf(payment.id)).toBe(0)
  await payment.control('reinstate')
  await payment.until({ status: 'paid' })
  expect(await both.ledgerOf(payment.id)).toBe(2000)
  const refund = { params: { id: payment.id, refundId: newId() }, body: { amountCents: 2000 } }
  expect(await both.api.refund(refund)).toMatchObject({ status: 'refunded', refundedCents: 2500 })
  expect(await both.ledgerOf(payment.id)).toBe(0)
})

test('later payments succeed or fail, and a checkout expires', async () => {
  await using both = await startBoth()
  const [settled, failed, expired] = [await both.start(), await both.start(), await both.start()]
  await settled.press('pay_later')
  await failed.press('pay_later')
  await settled.until({ status: 'processing' })
  await failed.until({ status: 'processing' })
  await settled.control('settle')
  await failed.control('fail')
  await expired.control('expire')
  await settled.until({ status: 'paid' })
  await failed.until({ status: 'failed' })
  await expired.until({ status: 'expired' })
  expect(await both.ledgerOf(failed.id)).toBe(0)
})

test('an outage of the provider is answered as one, and ends', async () => {
  await using both = await startBoth()
  await both.outage(60)
  await expect(both.start()).rejects.toMatchObject({ code: 'checkout_unavailable' })
  expect((await both.api.list({ query: {} })).items).toEqual([])
  await both.outage(0)
  await (await both.start()).until({ status: 'open' })
})

test('a refund that is ordered again after an outage of the provider, under another id, is made once', async () => {
  await using both = await startBoth()
  const payment = await both.start()
  await payment.press('pay')
  await payment.until({ status: 'paid' })
  const order = () =>
    both.api.refund({ params: { id: payment.id, refundId: newId() }, body: { amountCents: 500 } })
  await both.outage(60)
  await expect(order()).rejects.toMatchObject({ code: 'checkout_unavailable' })
  await both.outage(0)
  expect(await order()).toMatchObject({ status: 'paid', refundedCents: 500 })
  expect(await both.ledgerOf(payment.id)).toBe(2000)
})

test('reconciliation finds payments whose webhooks were lost', async () => {
  await using both = await startBoth()
  const payment = await both.start()
  await payment.press('pay')
  await payment.until({ status: 'paid' })
  // as after a restored backup: the provider has payments that the service does not have
  await both.service.admin.query('delete from webhook_event')
  await both.service.admin.query(
    `update payment set status = 'open', succeeded = false, provider_payment_intent = null, created_at = 0,
       facts = '{"paid": false, "processing": false, "failed": false, "expired": false, "refundSums": [], "refunds": {}, "disputes": {}}'`,
  )
  await both.service.service.jobs?.[0]?.run(new AbortController().signal)
  expect((await payment.session()).status).toBe('paid')
})
