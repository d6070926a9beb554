import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError, Unavailable } from '@prelude/platform'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { paymentOf } from './stand-ins.ts'
import { createCountries } from '../src/money/countries.ts'
import { ADA, type Browser, startGateway, type TestGateway, uidOf } from './start-gateway.ts'
import type { KeyValue } from '../src/api/key-value/port.ts'

const NIGERIA = { 'x-country': 'ng' }

function paymentsStub(app: FastifyInstance): void {
  app.put('/checkouts/:id', async (request) => ({
    id: (request.params as { id: string }).id,
    url: `https://pay/${(request.body as { amountCents: number }).amountCents}`,
  }))
  app.put('/alternate-checkouts/:id', async () => {
    throw new AppError('alternate_provider_off')
  })
  app.put('/transfers/:id', async () =>
    paymentOf({ method: 'naira_transfer', amountCents: null, creditsCents: null, currency: 'ngn' }),
  )
  app.get('/sessions/:id', async () => {
    throw new AppError('session_not_found')
  })
  app.post('/webhooks/:provider', async (request) => {
    const { payload, signature } = request.body as { payload: string; signature: string }
    if (signature !== 'good') throw new AppError('bad_signature')
    return { received: Buffer.from(payload, 'base64').toString() }
  })
}

let gateway: TestGateway
let ada: Browser
beforeAll(async () => {
  gateway = await startGateway({ services: { payments: paymentsStub } })
  ada = await gateway.signIn(ADA)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const TOP_UPS: [string, number, string | undefined][] = [
  ['{"amount":25}', 200, undefined],
  ['{"amount":25,"myamount":25,"userId":"ME"}', 200, undefined],
  ['{"amount":5000}', 200, undefined],
  ['{}', 400, 'invalid_amount'],
  ['{"amount":null}', 400, 'invalid_amount'],
  ['{"amount":"25"}', 400, 'invalid_amount'],
  ['{"amount":1e999}', 400, 'invalid_amount'],
  ['{"amount":24.99}', 400, 'amount_too_low'],
  ['{"amount":-1.234}', 400, 'amount_too_low'],
  ['{"amount":24.991}', 400, 'invalid_amount'],
  ['{"amount":5000.001}', 400, 'amount_too_high'],
  ['{"amount":25.001}', 400, 'invalid_amount'],
  ['{"amount":25,"myamount":26}', 400, 'amount_mismatch'],
  ['{"amount":25,"myamount":"25"}', 400, 'amount_mismatch'],
  ['{"amount":25,"myamount":null}', 400, 'amount_mismatch'],
  ['{"amount":25,"userId":"other"}', 403, 'not_your_account'],
]
test('a top-up is of 24.99 to 5,000 dollars in whole cents, once said and for oneself', async () => {
  const answers = await Array.fromAsync(TOP_UPS, async ([body]) => {
    const answer = await ada.post('/api/payments', body.replace('ME', uidOf(ADA)))
    return [body, answer.status, (await answer.json()).code]
  })
  expect(answers).toEqual(TOP_UPS)
})

test('dollars become cents, and an amount that is too low is refused with the reason', async () => {
  const started = await (await ada.post('/api/payments', { amount: 25.5 })).json()
  expect(started.url).toBe('https://pay/2550')
  const refused = await (await ada.post('/api/payments', { amount: 20 })).json()
  expect(refused.detail).toBe('Amount must be greater than 24.99')
})

test('the alternate provider is off, and checkout sessions are asked for with an id', async () => {
  const codes = async (answer: Promise<Response>) => [
    (await answer).status,
    (await (await answer).json()).code,
  ]
  expect(await codes(ada.post('/api/payments/alternate', { amount: 25 }))).toEqual([
    501,
    'alternate_provider_off',
  ])
  expect(await codes(ada.get('/api/get-session'))).toEqual([400, 'session_id_required'])
  expect(await codes(ada.get('/api/get-session?session_id='))).toEqual([400, 'session_id_required'])
  expect(await codes(ada.get('/api/get-session?session_id=..'))).toEqual([404, 'session_not_found'])
  expect(await codes(ada.get('/api/get-session?session_id=cs_1'))).toEqual([404, 'session_not_found'])
  expect(await codes(gateway.visitor().get('/api/get-session'))).toEqual([401, 'not_signed_in'])
})

test('bank transfer is offered and accepted in Nigeria only', async () => {
  const visitor = gateway.visitor()
  expect(await (await visitor.get('/api/payment-methods')).json()).toEqual([{ id: 'card' }])
  const [, transfer] = await (await visitor.get('/api/payment-methods', NIGERIA)).json()
  expect(transfer).toEqual({
    id: 'naira_transfer',
    amount: 37000,
    currency: 'NGN',
    credits: 25,
    bankName: 'First Bank',
    accountName: 'Prelude Ltd',
    accountNumber: '0123456789',
    reference: null,
    note: 'thanks',
    supportEmail: 'help@example.org',
  })
  const mine = await (await ada.get('/api/payment-methods', NIGERIA)).json()
  expect(mine[1].reference).toBe('ada@example.org')
  const abroad = await ada.post('/api/payments/naira-transfers', 'not json')
  expect([abroad.status, (await abroad.json()).code]).toEqual([403, 'not_offered'])
  const home = await ada.post('/api/payments/naira-transfers', {}, NIGERIA)
  expect([home.status, await home.json()]).toMatchObject([
    201,
    { amount: null, credits: null, currency: 'NGN' },
  ])
})

const PLACES: [Record<string, string>, number, string | null][] = [
  [{}, 0, null],
  [{ 'x-country': 'NG' }, 0, 'Nigeria'],
  [{ 'x-country': 'XX' }, 0, null],
  [{ 'x-forwarded-for': '102.89.1.1' }, 0, null],
  [{ 'x-forwarded-for': '102.89.1.1' }, 1, 'Nigeria'],
  [{ 'x-forwarded-for': '8.8.8.8, 102.89.1.1' }, 1, 'Nigeria'],
  [{ 'x-forwarded-for': '102.89.1.1, 8.8.8.8' }, 2, 'Nigeria'],
  [{ 'x-forwarded-for': '::ffff:102.89.1.1' }, 1, 'Nigeria'],
  [{ 'x-forwarded-for': '10.0.0.1' }, 1, null],
  [{ 'x-forwarded-for': 'nonsense' }, 1, null],
]
test('the country is that of the address which the trusted proxies name, or of their header', async () => {
  const found = await Array.fromAsync(PLACES, async ([headers, trustedProxyHops]) => {
    const countries = createCountries({ ...gateway.config, trustedProxyHops })
    const request = { headers, socket: { remoteAddress: '127.0.0.1' } } as unknown as FastifyRequest
    const place = await countries.of(request)
    expect(place === null || place.countryCode === 'NG').toBe(true)
    return [headers, trustedProxyHops, place && place.country]
  })
  expect(found).toEqual(PLACES)
})

test('the country of a visitor is theirs to read', async () => {
  const visitor = gateway.visitor()
  expect(await (await visitor.get('/api/geo')).json()).toEqual({ country: null, countryCode: null })
  expect(await (await visitor.get('/api/geo', NIGERIA)).json()).toEqual({
    country: 'Nigeria',
    countryCode: 'NG',
  })
})

test('webhooks arrive byte for byte and need neither session nor session store', async () => {
  let down = false
  const kv = (real: KeyValue): KeyValue =>
    new Proxy(real, {
      get: (target, name: keyof KeyValue) =>
        down ? async () => Promise.reject(new Unavailable('kv')) : target[name],
    })
  await using gateway = await startGateway({ services: { payments: paymentsStub }, kv })
  const ada = await gateway.signIn(ADA)
  down = true
  const body = '{"b": 1,\n "a": 2}'
  const accepted = await gateway.visitor().post('/api/webhooks/stripe', body, { 'stripe-signature': 'good' })
  expect(accepted.status).toBe(200)
  const forged = await gateway.visitor().post('/api/webhooks/stripe', body)
  expect([forged.status, (await forged.json()).code]).toEqual([400, 'bad_signature'])
  expect((await gateway.visitor().post('/api/webhooks/else', body)).status).toBe(404)
  expect((await ada.get('/')).status).toBe(200)
  expect((await ada.get('/api/payment-methods')).status).toBe(200)
  const me = await ada.get('/api/me')
  expect([me.status, (await me.json()).code]).toEqual([503, 'unavailable'])
  down = false
})

test('past the limit of a minute a person waits; reads are free', async () => {
  await using gateway = await startGateway({ config: { rateLimits: true } })
  const ada = await gateway.signIn(ADA)
  // more than two minutes' worth, since the minute may turn in between
  const submits = await Promise.all(Array.from({ length: 61 }, () => ada.post('/api/songs', 'x')))
  expect(submits.map(({ status }) => status)).toContain(400)
  const refused = submits.find(({ status }) => status === 429)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  const many = await Promise.all(Array.from({ length: 181 }, () => ada.post('/api/payments', {})))
  expect(many.map(({ status }) => status)).toContain(429)
  expect((await ada.get('/api/me')).status).toBe(200)
  const logins = await Promise.all(Array.from({ length: 41 }, () => gateway.visitor().get('/api/auth/login')))
  expect(logins.map(({ status }) => status)).toContain(429)
})
