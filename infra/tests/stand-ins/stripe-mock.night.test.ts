import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { AccountClosed, paymentsApi } from '@prelude/contracts'
import { createPayments } from '@prelude/payments'
import { newId } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import type { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { withServer } from '../support/with-server.ts'
import { ORDER, startSandbox, WEBHOOK_SECRET } from './sandbox.ts'

type Json = Readonly<Record<string, unknown>>

interface Answer {
  readonly status: number
  readonly body: Json
}

interface Call {
  /** `GET /v1/checkout/sessions/:id` */
  readonly name: string
  readonly sandbox: Answer
  readonly mock: Answer
}

async function send(base: string, method: string, path: string, key: string, body?: string): Promise<Answer> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-www-form-urlencoded' },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, body: (await response.json()) as Json }
}

/** A proxy that sends every request to the sandbox and to stripe-mock, and records both answers. */
async function listenIn(sandbox: { url: string; secretKey: string }, mockUrl: string) {
  const calls: Call[] = []
  const pass = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = req
    const body = method === 'POST' ? await text(req) : undefined
    const [own, mock] = await Promise.all([
      send(sandbox.url, method, url, sandbox.secretKey, body),
      send(mockUrl, method, url, 'sk_test_123', body),
    ])
    const name = `${method} ${(url.split('?')[0] ?? '').replace(/\/[a-z]+_[\w]+/g, '/:id')}`
    calls.push({ name, sandbox: own, mock })
    res.writeHead(own.status, { 'content-type': 'application/json' }).end(JSON.stringify(own.body))
  }
  const server = createServer((req, res) => void pass(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** Not compared: keys and values are the merchant's own, or the example is another kind of object. */
const FREE = new Set(['metadata', 'data'])

/** Fields of states that the examples do not have. */
const SOMETIMES = new Set(['failure_reason'])

/** Fields of `own` that Stripe's example does not have, or of another type. It has only those that the product needs. */
function differences(own: Json, example: Json, path = ''): string[] {
  return Object.entries(own).flatMap(([name, is]) => {
    const should = example[name]
    const at = `${path}${name}`
    if (should === undefined) return SOMETIMES.has(name) ? [] : [`${at} is not Stripe's`]
    if (is === null || should === null) return []
    if (typeOf(is) !== typeOf(should)) return [`${at} is of type ${typeOf(is)}, not ${typeOf(should)}`]
    return typeOf(is) === 'object' && !FREE.has(name) ? differences(is as Json, should as Json, `${at}.`) : []
  })
}

await withServer('stripe-mock', (mock) => {
  test('Stripe accepts every request of the payments service, and the answers of the sandbox have its shape', async () => {
    await using sandbox = await startSandbox()
    await using wire = await listenIn(sandbox, mock().url)
    const stripe = { secretKey: sandbox.secretKey, webhookSecret: WEBHOOK_SECRET, apiUrl: wire.url }
    const config = { publicUrl: 'https://prelude.test', stripe, paystackSecretKey: null }
    await using service = await testService(({ db, clock, logger }) =>
      createPayments({ db, clock, logger, config }),
    )
    const payments = service.api(paymentsApi)
    const job = async (name: string): Promise<void> => {
      await service.service.jobs?.find((one) => one.name === name)?.run(new AbortController().signal)
    }

    const params = { id: newId() }
    const order = { uid: 'u1', email: 'ada+songs@example.com', amountCents: 2599 }
    const { url } = await payments.startCheckout({ params, body: order })
    await service.admin.query('update payment set created_at = created_at - 3600000')
    await job('reconcile-checkouts')
    const sessionId = url.split('/').at(-1) ?? ''
    await fetch(`${sandbox.url}/c/pay/${sessionId}`, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'pay' }),
      redirect: 'manual',
    })
    await job('reconcile-checkouts')
    const refund = (amountCents: number) =>
      payments.refund({ params: { ...params, refundId: newId() }, body: { amountCents } })
    await refund(599)
    await refund(2000)
    await job('reconcile-events')

    expect(await payments.get({ params })).toMatchObject({ status: 'refunded', refundedCents: 2599 })
    await payments.startCheckout({ params: { id: newId() }, body: { ...order, uid: 'u2' } })
    await service.deliver(AccountClosed, { uid: 'u2' })
    await job('end-checkouts-of-closed')
    expect([...new Set(wire.calls.map(({ name }) => name))]).toEqual([
      'POST /v1/checkout/sessions',
      'GET /v1/checkout/sessions/:id',
      'POST /v1/refunds',
      'GET /v1/events',
      'POST /v1/checkout/sessions/:id/expire',
    ])
    for (const { name, sandbox: own, mock: stripes } of wire.calls) {
      expect([name, own.status, stripes.status, stripes.status === 200 ? '' : stripes.body]).toEqual([
        name,
        200,
        200,
        '',
      ])
      expect([name, differences(own.body, stripes.body)]).toEqual([name, []])
    }
  })

  test('every object in an event of the sandbox has the shape of Stripe’s', async () => {
    await using sandbox = await startSandbox()
    const session = await sandbox.open()
    await sandbox.press(session, 'pay')
    for (const act of ['refund', 'fail-refund', 'dispute', 'reinstate'])
      expect(await sandbox.control(`sessions/${session.id}/${act}`)).toBe(200)
    const { data } = await sandbox.stripe.events.list({ limit: 100 })
    const paths: Record<string, string> = {
      'checkout.session': 'checkout/sessions',
      charge: 'charges',
      refund: 'refunds',
      dispute: 'disputes',
    }
    for (const event of data) {
      const { id, object } = event.data.object as unknown as { id: string; object: string }
      const ask = (base: string, path: string) => send(base, 'GET', `/v1/${path}`, 'sk_test_123')
      const example = await ask(mock().url, `${paths[object]}/${id}`)
      const sent = event.data.object as unknown as Json
      expect([event.type, differences(sent, example.body)]).toEqual([event.type, []])
      const { body } = await ask(mock().url, `events/${event.id}`)
      expect([event.type, differences(event as unknown as Json, body)]).toEqual([event.type, []])
    }
    expect(new Set(data.map(({ type }) => type)).size).toBe(10)
    const retrieved = await sandbox.stripe.checkout.sessions.retrieve(session.id, {
      expand: ['payment_intent'],
    })
    const intent = retrieved.payment_intent as Stripe.PaymentIntent
    const example = await send(mock().url, 'GET', `/v1/payment_intents/${intent.id}`, 'sk_test_123')
    expect(differences(intent as unknown as Json, example.body)).toEqual([])
  })

  test('the sandbox refuses all that Stripe refuses by its OpenAPI document', async () => {
    await using sandbox = await startSandbox()
    const good = new URLSearchParams({
      mode: 'payment',
      success_url: ORDER.success_url ?? '',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '2500',
      'line_items[0][price_data][product_data][name]': 'credits',
    })
    const spoilt = (name: string, value: string): string => {
      const form = new URLSearchParams(good)
      form.set(name, value)
      return form.toString()
    }
    const session = '/v1/checkout/sessions'
    const cases: [method: string, path: string, body?: string][] = [
      ['POST', session, spoilt('colour', 'red')],
      ['POST', session, spoilt('mode', 'gift')],
      ['POST', session, spoilt('line_items[0][price_data][unit_amount]', 'much')],
      ['POST', session, spoilt('line_items', 'all')],
      ['POST', session, spoilt('metadata', 'none')],
      ['POST', session, spoilt('expires_at', 'soon')],
      ['POST', '/v1/refunds', 'payment_intent=pi_1&amount=much'],
      ['POST', '/v1/refunds', 'payment_intent=pi_1&reason=bored'],
      ['POST', '/v1/refunds', 'payment_intent=pi_1&colour=red'],
      ['GET', '/v1/events?limit=many'],
      ['GET', '/v1/events?colour=red'],
      ['GET', '/v1/checkout/sessions?status=gone'],
      ['GET', '/v1/nothing'],
    ]
    expect((await send(sandbox.url, 'POST', session, sandbox.secretKey, good.toString())).status).toBe(200)
    for (const [method, path, body] of cases) {
      const own = await send(sandbox.url, method, path, sandbox.secretKey, body)
      const stripes = await send(mock().url, method, path, 'sk_test_123', body)
      const what = `${method} ${path} ${body ?? ''}`
      const isRefused = ({ status }: Answer) => status === 400 || status === 404
      expect([what, isRefused(stripes), isRefused(own)]).toEqual([what, true, true])
      expect(own.body['error']).toMatchObject({ type: 'invalid_request_error' })
    }
  })
})
