import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import {
  mail,
  requestSong,
  sharedProduct,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs, linesOf, paymentLike, play, startCheckout, statement } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

/** Payments by card over HTTP: their life, and refunds with a debt. */

const product = await sharedProduct()
const operator = await unlockedOperator(product)

interface Session {
  metadata: { userId: string; amount: string; myamount: string }
  eventType: string | null
  status: string
  credited: boolean
}

const sessionOf = async (person: Somebody, session: string): Promise<Session> =>
  (await person.call<Session>('GET', `/api/get-session?session_id=${session}`)).body

test('a payment redirects to the success page, adds its credits once, sends one mail and is visible by get-session', async () => {
  const ada = await somebody(product)
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
  const { web } = product.endpoints
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
    await eventually(async () => {
      const session = await sessionOf(ada, checkout.session)
      expect(session.credited).toBe(true)
      return session
    }),
  ).toMatchObject({ status: 'paid', eventType: 'checkout.session.completed' })
  expect(await statement(ada)).toMatchObject([
    { reason: 'top_up', amount: 29.99, balanceAfter: 29.99, reference: checkout.id },
  ])
  const receipt = await mail(product, ada.email, /receipt/i)
  expect(receipt.text).toContain('29.99')
  const again = await (await fetch(checkout.url)).text()
  expect(again).not.toMatch(/<button/)
  expect((await play(product, checkout.session, 'settle')).status).toBe(409)
  await balanceIs(ada, 29.99)
})

test('a refund takes credits back up to the balance; the rest is a debt that the next credits settle first', async () => {
  const ada = await somebody(product)
  const checkout = await startCheckout(ada, 25)
  await press(checkout, 'pay')
  await balanceIs(ada, 25)
  expect((await play(product, checkout.session, 'refund', { amount: 5.5 })).status).toBe(200)
  await paymentLike(ada, checkout.id, { status: 'paid', refundedAmount: 5.5 })
  await balanceIs(ada, 19.5)
  await requestSong(ada)
  await balanceIs(ada, 9.5)
  expect((await play(product, checkout.session, 'refund', { amount: 30 })).status).toBe(409)
  expect((await play(product, checkout.session, 'refund', { amount: 'all' })).status).toBe(400)
  expect((await play(product, checkout.session, 'refund')).status).toBe(200)
  await paymentLike(ada, checkout.id, { status: 'refunded', refundedAmount: 25 })
  await balanceIs(ada, 0)
  expect((await play(product, checkout.session, 'refund')).status).toBe(409)
  const waiting = await requestSong(ada)
  expect(waiting.charge).toBe('declined')
  expect((await ada.call('GET', '/api/credits/debt')).body).toEqual({ debt: 10 })
  const owing = { uid: ada.uid, name: 'Ada Obi', email: ada.email, balance: 0, debt: 10 }
  const { body: debts } = await operator.call<{ items: unknown[] }>('GET', '/api/operator/debts')
  expect(debts.items).toContainEqual(owing)
  const notice = await mail(product, operator.email, new RegExp(`^${ada.email} owes`))
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
