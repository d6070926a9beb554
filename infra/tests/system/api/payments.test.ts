import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { mail, sharedProduct, somebody, type Somebody } from '../../support/callers.ts'
import { balanceIs, paymentLike, play, startCheckout, statement } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

/** A payment by card over HTTP. */

const product = await sharedProduct()

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
