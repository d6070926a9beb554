import type { Payment } from '@prelude/contracts'
import { expect, test } from 'vitest'
import {
  expectRefusal,
  mail,
  type Sending,
  sharedProduct,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs, statement } from '../../support/checkout.ts'

/** Bank transfers over HTTP. */

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
