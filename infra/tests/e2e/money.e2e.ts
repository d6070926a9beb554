import { expect, test } from './fixtures.ts'
import { choices, choose, confirm, money, moneyRow, openTab, region } from './operator-steps.ts'
import { balance, message, topUp, type Visit } from './steps.ts'
import { newcomer, operator, pay, person, request, studio } from './studio.ts'

/** A person's money: the statement, debts, payments that stay open or fail. */

const control = (session: string, what: string, body: object = {}): Promise<Response> =>
  fetch(`${studio().checkout}/control/sessions/${session}/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })

const rows = ({ page }: Visit, name: string) =>
  page.getByRole('region', { name, exact: true }).getByRole('row')

/** The cells of each row without the header, without the time. */
const cells = async (visitor: Visit, name: string): Promise<string[][]> => {
  const all = await rows(visitor, name).all()
  const texts = await Promise.all(all.slice(1).map((row) => row.getByRole('cell').allInnerTexts()))
  return texts.map((row) => row.slice(1).map((cell) => cell.replace(/\s+/g, ' ').trim()))
}

test('the statement shows the reason of each entry and the balance after it, and updates itself', async ({
  visitAs,
}) => {
  const ada = await person()
  const session = await pay(ada, 30)
  await request(ada, 'la', 'Highlife with a very long description of its sound')
  const visitor = await visitAs(ada)
  await visitor.page.goto('/statement')
  await expect
    .poll(() => cells(visitor, 'Entries'))
    .toEqual([
      ['Song Highlife with a very long descripti…', '-10.00', '20.00'],
      ['Top-up Card $30.00', '+30.00', '30.00'],
    ])
  await control(session, 'refund', { amount: 5 })
  await expect
    .poll(() => cells(visitor, 'Entries'))
    .toEqual([
      ['Payment reversed Card $30.00', '-5.00', '15.00'],
      ['Song Highlife with a very long descripti…', '-10.00', '20.00'],
      ['Top-up Card $30.00', '+30.00', '30.00'],
    ])
  await expect
    .poll(() => cells(visitor, 'List of payments'))
    .toEqual([['Card', '$30.00', 'paid $5.00 refunded', 'Receipt']])
  const receipt = visitor.page.getByRole('link', { name: 'Receipt' })
  expect((await fetch((await receipt.getAttribute('href')) ?? '')).status).toBe(200)
  expect(visitor.errors).toEqual([])
})

test('a debt is shown to the person and to the operator, at the pending song', async ({
  visitAs,
  visitOperator,
}) => {
  const ada = await person(newcomer('Ada Obi'))
  const session = await pay(ada, 25)
  const song = await request(ada, 'la', 'Spent before it was taken back')
  const desk = await visitOperator()
  await choose(desk, song)
  const visitor = await visitAs(ada)
  const home = { ...visitor, page: await visitor.context.newPage() }
  await home.page.goto('/')
  await visitor.page.goto('/statement')
  await rows(visitor, 'Entries').first().waitFor()
  await expect(visitor.page.getByText('You owe')).toHaveCount(0)

  await control(session, 'dispute')
  await message(home, 'status', 'You owe 10.00 credits:').waitFor()
  await visitor.page.getByText('You owe 10.00 credits:').waitFor()
  await choices(desk)
    .locator(`option[value="${song.id}"]`)
    .filter({ hasText: '(owes 10.00) Spent before it was taken back' })
    .waitFor({ state: 'attached' })
  await region(desk).getByText('Owes 10.00 credits.').waitFor()
  await openTab(desk, 'People')
  await money(desk).getByRole('checkbox', { name: 'Only people with debts' }).check()
  const owing = moneyRow(desk, ada.email)
  await owing.getByText('owes 10.00').waitFor()

  await balance(visitor).click()
  await visitor.page.getByRole('dialog').getByText('You owe 10.00 credits:').waitFor()
  await visitor.page.keyboard.press('Escape')
  await (await operator()).post('/api/operator/credits', { uid: ada.uid, credits: 12, reason: 'so' })
  await visitor.page.getByText('You owe').waitFor({ state: 'detached' })
  await balance(visitor).filter({ hasText: '2.00' }).waitFor()
  await owing.waitFor({ state: 'detached' })
})

test('older entries that could not be loaded are an error, and can be asked for again @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  const entry = { id: 'e1', amount: 1, reason: 'top_up', reference: null, balanceAfter: 1, createdAt: 0 }
  let isRefused = true
  await page.route('**/api/credits/entries?*', (route) => {
    if (!route.request().url().includes('cursor='))
      return route.fulfill({ json: { items: [entry], nextCursor: 'older' } })
    if (isRefused)
      return route.fulfill({ status: 400, json: { code: 'refused', detail: 'They cannot be read.' } })
    return route.fulfill({ json: { items: [{ ...entry, id: 'e2' }], nextCursor: null } })
  })
  await page.goto('/statement')
  const more = page.getByRole('button', { name: 'Show more' })
  await more.click()
  const error = message(visitor, 'alert', 'They cannot be read.')
  await error.waitFor()
  isRefused = false
  await more.click()
  await expect.poll(() => cells(visitor, 'Entries')).toHaveLength(2)
  await error.waitFor({ state: 'detached' })
})

test('a cancelled checkout can be continued; an expired or failed one can be tried again @night', async ({
  visitAs,
}) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  const { page } = visitor
  await balance(visitor).click()
  await topUp(visitor, '30', 'cancel')
  await page.getByText('Oops! Your payment was not successful.').waitFor()
  await page.getByText('Nothing was charged.').waitFor()
  await page.getByRole('button', { name: 'Another amount' }).click()
  await page.getByRole('dialog', { name: 'Enter Credit Amount' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Continue to pay $30.00' }).click()
  await page.locator('button[name=outcome][value=cancel]').waitFor()
  const session = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await page.goBack()
  await page.goto('/statement')
  await page.getByRole('link', { name: 'Continue', exact: true }).waitFor()

  // an hour later it is out of the way
  await page.clock.setSystemTime(Date.now() + 61 * 60_000)
  await page.reload()
  await page.getByText('1 payment that was not completed').click()
  const abandoned = page.getByRole('region', { name: '1 payment that was not completed' })
  await abandoned.getByRole('cell', { name: 'abandoned' }).waitFor()
  await abandoned.getByRole('link', { name: 'Continue', exact: true }).waitFor()

  await control(session, 'expire')
  await abandoned.getByRole('button', { name: 'Try again' }).click()
  // not before: while it is pending and new, the region is not shown, and it would come back closed
  await page.clock.setSystemTime(Date.now())
  const dialog = page.getByRole('dialog', { name: 'Enter Credit Amount' })
  await expect(dialog.getByRole('spinbutton', { name: 'Amount' })).toHaveValue('30')
  await topUp(visitor, '35', 'pay_later')
  await page.getByText('Payment Successful').waitFor()
  await control(new URL(page.url()).searchParams.get('session_id') ?? '', 'fail')
  await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog.getByRole('spinbutton', { name: 'Amount' })).toHaveValue('35')
  await page.keyboard.press('Escape')
  await page.goto('/payment-failed')
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('a refund whose answer was lost and that is submitted again has one effect', async ({
  visitOperator,
}) => {
  const ada = await person()
  await pay(ada, 40)
  const desk = await visitOperator()
  await openTab(desk, 'Payments')
  const paid = moneyRow(desk, ada.email)
  await paid.getByText('Refund').first().click()
  await paid.getByRole('textbox', { name: 'Dollars' }).fill('15')
  await desk.page.route(
    '**/refund',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await paid.getByRole('button', { name: 'Refund' }).click()
  await confirm(desk, 'Give back $15.00').click()
  await desk.page.getByRole('alert').filter({ hasText: 'There is no connection right now.' }).waitFor()
  await paid.getByText('$15.00 refunded').waitFor()
  await paid.getByRole('button', { name: 'Refund' }).click()
  await confirm(desk, 'Give back $15.00').click()
  await desk.page.getByRole('status').filter({ hasText: 'Payment refunded.' }).waitFor()
  await paid.getByText('$15.00 refunded').waitFor()
  await expect.poll(async () => (await ada.get<{ balance: number }>('/api/credits')).body.balance).toBe(25)
})
