import type { Payment } from '@prelude/contracts'
import { expect, test } from 'vitest'
import {
  expectRefusal,
  giveCredits,
  mail,
  type Sending,
  sharedProduct,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs, type Line, paymentLike, statement } from '../../support/checkout.ts'

/** Bank transfers, the statement and adjustments by hand, over HTTP. */

const product = await sharedProduct()
const operator = await unlockedOperator(product)

const NIGERIA = { 'cf-ipcountry': 'NG' }
const NAIRA = '/api/payments/naira-transfers'

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

test('a person may have one open transfer; the operator gets one mail, confirms it, and its credits are rounded down', async () => {
  const ada = await somebody(product, { name: 'Ngozi Ade' })
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
  const notice = await mail(product, 'operator@prelude.test', new RegExp(ada.email))
  expect(notice.text).toContain('Ngozi Ade')
  expect(await waiting()).toContainEqual({
    id: opened.id,
    uid: ada.uid,
    email: ada.email,
    status: 'open',
    createdAt: opened.createdAt,
  })
  for (const amount of [undefined, null, '37000', 37_000.001, 1e21, 1e300, true])
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
  await mail(product, ada.email, /transfer arrived/)
  expect((await waiting()).map(({ id }) => id)).not.toContain(opened.id)
  expect((await announce(ada)).status).toBe(201)
})

test('a rejected transfer adds no credits, its sender gets a mail, and another may be announced', async () => {
  const ada = await somebody(product)
  const { body: opened } = await announce(ada)
  for (const reason of [undefined, null, '', 5, 'x'.repeat(501)])
    expectRefusal(await settle(opened.id, 'reject', { reason }), 400, 'invalid_request')
  expectRefusal(await settle(opened.id, 'reject', { reason: 'a\0' }), 400, 'invalid_text')
  const { status, body } = await settle(opened.id, 'reject', { reason: 'not on the account' })
  expect([status, body.status, body.credits]).toEqual([200, 'rejected', null])
  await paymentLike(ada, opened.id, { status: 'rejected' })
  await mail(product, ada.email, /could not find your bank transfer/)
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

test('the whole statement is available as CSV, with the same columns and decimal points', async () => {
  const ada = await somebody(product)
  // more than the longest page; one after the other, since each locks the account
  for (let n = 0; n < 105; n++) await giveCredits(operator, ada.uid, n % 2 ? 0.5 : 0.25)
  const csv = await ada.call<string>('GET', '/api/credits/entries?format=csv')
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
  const [head, ...lines] = csv.body.trimEnd().split('\r\n')
  expect(head).toBe('id,amount,balanceAfter,reason,reference,createdAt')
  expect(lines).toHaveLength(105)
  const sum = lines.reduce((total, line) => total + Math.round(Number(line.split(',')[1]) * 100), 0)
  expect(sum / 100).toBe((await ada.call<{ balance: number }>('GET', '/api/credits')).body.balance)
  const [newest] = await statement(ada)
  expect(lines[0]).toBe(
    `${newest?.id},${newest?.amount},${newest?.balanceAfter},adjustment,,${new Date(newest?.createdAt ?? 0).toISOString()}`,
  )
  expectRefusal(await ada.call('GET', '/api/credits/entries?format=xml'), 400, 'invalid_request')

  const seen: Line[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { body: { items: Line[]; nextCursor: string | null } } = await ada.call(
      'GET',
      `/api/credits/entries?limit=30${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    seen.push(...page.body.items)
    cursor = page.body.nextCursor
  }
  expect(seen.map(({ id }) => id)).toEqual(lines.map((line) => line.split(',')[0]))
})

test('an adjustment by hand takes a uid or an e-mail address, never goes below zero, and is applied once a key', async () => {
  const ada = await somebody(product)
  const adjust = (json: unknown, headers: Record<string, string> = {}) =>
    operator.call<{ balance?: number; code?: string }>('POST', '/api/operator/credits', { json, headers })
  const reason = 'because'
  expect((await adjust({ email: ada.email.toUpperCase(), credits: 10, reason })).body).toEqual({
    balance: 10,
  })
  expect((await adjust({ uid: ada.uid, credits: -10, reason })).body).toEqual({ balance: 0 })
  expectRefusal(await adjust({ uid: ada.uid, credits: -0.01, reason }), 409, 'insufficient_credits')
  expectRefusal(await adjust({ uid: 'nobody', credits: 1, reason }), 404, 'user_not_found')
  expectRefusal(await adjust({ email: 'nobody@example.test', credits: 1, reason }), 404, 'user_not_found')
  for (const credits of [undefined, null, '5', 0.001, 1e300, 1e13, -1e13, true])
    expectRefusal(await adjust({ uid: ada.uid, credits, reason }), 400, 'invalid_amount')
  for (const wrong of [undefined, null, '', 'x'.repeat(501), 5])
    expectRefusal(await adjust({ uid: ada.uid, credits: 1, reason: wrong }), 400, 'invalid_request')
  for (const who of [{}, { uid: null }, { uid: '' }, { uid: 5 }, { email: ['a'] }])
    expectRefusal(await adjust({ ...who, credits: 1, reason }), 400, 'invalid_request')
  expect(
    (await adjust({ uid: ada.uid, credits: 3, reason: '😀'.repeat(500) }, { 'idempotency-key': 'a' })).body,
  ).toEqual({ balance: 3 })
  expect(
    (await adjust({ uid: ada.uid, credits: 3, reason: '😀'.repeat(500) }, { 'idempotency-key': 'a' })).body,
  ).toEqual({ balance: 3 })
  await balanceIs(ada, 3)
})
