import type { Payment } from '@prelude/contracts'
import { beforeAll, expect, test, vi } from 'vitest'
import {
  caller,
  type Caller,
  expectRefusal,
  mail,
  POLL,
  productOfFile,
  type Sending,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { balanceIs, paymentLike, statement } from '../../support/checkout.ts'

/** A trusted CDN sets the country; one trusted proxy sets the client's address. */
const product = productOfFile({
  TRUSTED_COUNTRY_HEADER: 'CF-IPCountry',
  TRUSTED_PROXY_HOPS: '1',
  BANK_NAME: 'First Bank <of> Lagos',
  BANK_ACCOUNT_NAME: 'Prelude & Co',
  BANK_ACCOUNT_NUMBER: '0011223344',
  BANK_NOTE: 'Within an hour.',
  SUPPORT_EMAIL: 'help@example.test',
})
const NIGERIA = { 'cf-ipcountry': 'NG' }
/** An IP address of a Nigerian provider, by the offline database. */
const LAGOS = '41.58.0.1'
const NAIRA = '/api/payments/naira-transfers'
let visitor: Caller
let operator: Somebody

beforeAll(async () => {
  visitor = caller(product())
  operator = await unlockedOperator(product())
})

interface Transfers {
  items: { id: string; uid: string; email: string; status: string; createdAt: number }[]
  nextCursor: string | null
}

const announce = (person: Somebody, sending: Sending = {}) =>
  person.call<Payment>('POST', NAIRA, { json: {}, ...sending, headers: { ...NIGERIA, ...sending.headers } })
const waiting = async (): Promise<Transfers['items']> =>
  (await operator.call<Transfers>('GET', '/api/operator/transfers?limit=100')).body.items
const settle = (id: string, how: 'confirm' | 'reject', json: unknown) =>
  operator.call<Payment>('POST', `/api/operator/transfers/${id}/${how}`, { json })

test('the country is that of the trusted header, else of the address that the trusted proxy saw', async () => {
  const of = async (headers: Record<string, string>): Promise<unknown> =>
    (await visitor('GET', '/api/geo', { headers })).body
  const nigeria = { country: 'Nigeria', countryCode: 'NG' }
  const nowhere = { country: null, countryCode: null }
  expect(await of({})).toEqual(nowhere)
  expect(await of(NIGERIA)).toEqual(nigeria)
  expect(await of({ 'cf-ipcountry': 'ng' })).toEqual(nigeria)
  expect(await of({ 'cf-ipcountry': 'DE' })).toEqual({ country: 'Germany', countryCode: 'DE' })
  expect(await of({ 'x-forwarded-for': LAGOS })).toEqual(nigeria)
  expect(await of({ 'x-forwarded-for': `::ffff:${LAGOS}` })).toEqual(nigeria)
  // only the last address was written by the proxy
  expect(await of({ 'x-forwarded-for': `${LAGOS}, 8.8.8.8` })).toMatchObject({ countryCode: 'US' })
  expect(await of({ 'x-forwarded-for': `8.8.8.8, ${LAGOS}` })).toEqual(nigeria)
  for (const address of [
    '10.0.0.1',
    '192.168.1.1',
    '127.0.0.1',
    '::1',
    'fd00::1',
    '169.254.1.1',
    '100.64.0.1',
    'nonsense',
    '',
    ',',
  ])
    expect([address, await of({ 'x-forwarded-for': address })]).toEqual([address, nowhere])
  // a header that names no country falls back to the address
  for (const code of ['XX', 'T1', 'ZZ', 'Nigeria', '', 'NG,NG'])
    expect([code, await of({ 'cf-ipcountry': code, 'x-forwarded-for': LAGOS })]).toEqual([code, nigeria])
})

test('the transfer is offered in Nigeria only, with the e-mail address as its reference', async () => {
  const ada = await somebody(product())
  const transfer = {
    id: 'naira_transfer',
    amount: 37_000,
    currency: 'NGN',
    credits: 25,
    bankName: 'First Bank <of> Lagos',
    accountName: 'Prelude & Co',
    accountNumber: '0011223344',
    note: 'Within an hour.',
    supportEmail: 'help@example.test',
  }
  const methods = async (call: Caller, headers: Record<string, string>): Promise<unknown> =>
    (await call('GET', '/api/payment-methods', { headers })).body
  expect(await methods(ada.call, NIGERIA)).toEqual([{ id: 'card' }, { ...transfer, reference: ada.email }])
  expect(await methods(visitor, NIGERIA)).toEqual([{ id: 'card' }, { ...transfer, reference: null }])
  expect(await methods(visitor, { cookie: 'session=old', ...NIGERIA })).toHaveLength(2)
  for (const headers of [{ 'x-none': '' }, { 'cf-ipcountry': 'GH' }] as Record<string, string>[])
    expect(await methods(ada.call, headers)).toEqual([{ id: 'card' }])
  expectRefusal(await ada.call('POST', NAIRA, { json: {} }), 403, 'not_offered')
  expectRefusal(await ada.call('POST', NAIRA, { raw: '{broken' }), 403, 'not_offered')
  expectRefusal(await visitor('POST', NAIRA, { json: {}, headers: NIGERIA }), 401, 'not_signed_in')
  expectRefusal(
    await announce(ada, { raw: '[]', headers: { 'content-type': 'application/json' }, json: undefined }),
    400,
    'invalid_request',
  )
})

test('a person may have one open transfer; the operator gets one mail, confirms it, and its credits are rounded down', async () => {
  const ada = await somebody(product(), { name: 'Ngozi Ade' })
  const both = await Promise.all([announce(ada), announce(ada)])
  const opened = both.find(({ status }) => status === 201)?.body as Payment
  expectRefusal(both.find(({ status }) => status !== 201) ?? both[0], 409, 'transfer_already_open')
  expect(opened).toEqual({
    id: expect.any(String) as string,
    method: 'naira_transfer',
    amount: null,
    currency: 'NGN',
    credits: null,
    status: 'open',
    refundedAmount: 0,
    url: null,
    receiptUrl: null,
    revision: expect.any(Number) as number,
    createdAt: expect.any(Number) as number,
  })
  const notice = await mail(product(), 'operator@prelude.test', new RegExp(ada.email))
  expect(notice.text).toContain('Ngozi Ade')
  expect(await waiting()).toContainEqual({
    id: opened.id,
    uid: ada.uid,
    email: ada.email,
    status: 'open',
    createdAt: opened.createdAt,
  })
  for (const amount of [undefined, null, '37000', 37_000.001, 1e300, true])
    expectRefusal(await settle(opened.id, 'confirm', { amount }), 400, 'invalid_amount')
  for (const amount of [0, -37_000, 36_999.99])
    expect((await settle(opened.id, 'confirm', { amount })).body).toMatchObject({
      code: 'amount_too_low',
      status: 400,
    })
  // 50,000 / 1,480 = 33.783…
  const confirmed = await Promise.all([
    settle(opened.id, 'confirm', { amount: 50_000 }),
    settle(opened.id, 'confirm', { amount: 50_000 }),
  ])
  expect(confirmed.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const { body } = confirmed.find(({ status }) => status === 200) as { body: Payment }
  expect(body).toMatchObject({
    id: opened.id,
    status: 'paid',
    amount: 50_000,
    credits: 33.78,
    currency: 'NGN',
  })
  expectRefusal(await settle(opened.id, 'confirm', { amount: 50_000 }), 409, 'transfer_already_settled')
  expectRefusal(await settle(opened.id, 'reject', { reason: 'x' }), 409, 'transfer_already_settled')
  await balanceIs(ada, 33.78)
  expect(await statement(ada)).toMatchObject([{ reason: 'transfer', amount: 33.78, reference: opened.id }])
  await mail(product(), ada.email, /transfer arrived/)
  expect((await waiting()).map(({ id }) => id)).not.toContain(opened.id)
  expect((await announce(ada)).status).toBe(201)
})

test('a rejected transfer adds no credits, its sender gets a mail, and another may be announced', async () => {
  const ada = await somebody(product())
  const { body: opened } = await announce(ada)
  for (const reason of [undefined, null, '', 5, 'x'.repeat(501)])
    expectRefusal(await settle(opened.id, 'reject', { reason }), 400, 'invalid_request')
  expectRefusal(await settle(opened.id, 'reject', { reason: 'a\0' }), 400, 'invalid_text')
  const { status, body } = await settle(opened.id, 'reject', { reason: 'not on the account' })
  expect([status, body.status, body.credits]).toEqual([200, 'rejected', null])
  await paymentLike(ada, opened.id, { status: 'rejected' })
  await mail(product(), ada.email, /could not find your bank transfer/)
  expectRefusal(await settle(opened.id, 'confirm', { amount: 37_000 }), 409, 'transfer_already_settled')
  for (const id of ['-', 'x', '00000000-0000-7000-8000-000000000000']) {
    const tooLow = await settle(id, 'confirm', { amount: 36_999.99 })
    expect([tooLow.status, tooLow.body]).toEqual([400, expect.objectContaining({ code: 'amount_too_low' })])
  }
  for (const id of ['-', 'x', '00000000-0000-7000-8000-000000000000'])
    for (const how of ['confirm', 'reject'] as const)
      expectRefusal(await settle(id, how, { amount: 37_000, reason: 'x' }), 404, 'transfer_not_found')
  expect((await announce(ada)).status).toBe(201)
  expect(await statement(ada)).toEqual([])
})

test('a transfer that was not announced is settled at once, also while another is open', async () => {
  const ada = await somebody(product())
  const record = (json: unknown, headers: Record<string, string> = {}) =>
    operator.call<Payment>('POST', '/api/operator/transfers', { json, headers })
  expectRefusal(await record({ email: 'nobody@example.test', amount: 37_000 }), 404, 'user_not_found')
  expectRefusal(await record({ amount: 37_000 }), 400, 'invalid_request')
  for (const email of [ada.email, 'nobody@example.test'])
    expect((await record({ email, amount: 36_999.99 })).body).toMatchObject({ code: 'amount_too_low' })
  await announce(ada)
  const { status, body } = await record(
    { email: ada.email.toUpperCase(), amount: 37_000 },
    { 'idempotency-key': 't' },
  )
  expect([status, body.status, body.credits, body.method]).toEqual([201, 'paid', 25, 'naira_transfer'])
  expect(
    (await record({ email: ada.email.toUpperCase(), amount: 37_000 }, { 'idempotency-key': 't' })).body,
  ).toEqual(body)
  await balanceIs(ada, 25)
  await mail(product(), ada.email, /transfer arrived/)
  expectRefusal(
    await operator.call('POST', `/api/operator/payments/${body.id}/refund`, { json: { amount: 1 } }),
    409,
    'not_paid',
    'Only a card payment can be refunded here.',
  )
  expect(await mailsTo(product(), ada.email)).toHaveLength(1)
})

test('a transfer above 1,000 credits is announced to the operator, whether it was confirmed or recorded', async () => {
  const [ada, bola] = [await somebody(product()), await somebody(product())]
  const amount = 1_480_000 + 14.8
  const { body: opened } = await announce(ada)
  await settle(opened.id, 'confirm', { amount })
  await operator.call('POST', '/api/operator/transfers', { json: { email: bola.email, amount } })
  const announced = async () =>
    (await mailsTo(product(), 'operator@prelude.test')).filter(
      ({ subject }) => subject === '1000.01 credits were added for a bank transfer',
    )
  await vi.waitFor(async () => expect(await announced()).toHaveLength(2), POLL)
  const texts = (await announced()).map(({ text }) => text).join()
  for (const { email } of [ada, bola]) expect(texts).toContain(email)
})

test('the largest amounts are accepted or refused, never a 5xx', async () => {
  const ada = await somebody(product())
  const { body: opened } = await announce(ada)
  for (const amount of [1e11, 9.99e10, 1e15, Number.MAX_SAFE_INTEGER, 1e21]) {
    const { status } = await settle(opened.id, 'confirm', { amount })
    expect([amount, status < 500]).toEqual([amount, true])
  }
})
