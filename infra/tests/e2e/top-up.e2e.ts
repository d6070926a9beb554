import { expect, test } from './fixtures.ts'
import { balance, item, topUp, type Visit } from './steps.ts'
import { person, request, studio } from './studio.ts'

const dialogOf = ({ page }: Visit) => page.getByRole('dialog', { name: 'Enter Credit Amount' })
const TOO_LOW = 'Amount must be greater than 24.99'

const control = (session: string, what: string): Promise<Response> =>
  fetch(`${studio().checkout}/control/sessions/${session}/${what}`, { method: 'POST', body: '{}' })

test('the balance opens an empty dialog; Pay is disabled up to 1, and 24.99 or less is refused in the dialog', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  await balance(visitor).click()
  const dialog = dialogOf(visitor)
  const amount = dialog.getByRole('spinbutton', { name: 'Amount' })
  const pay = dialog.getByRole('button', { name: 'Pay' })
  await expect(amount).toHaveValue('')
  await expect(amount).toHaveAttribute('min', '20')
  await dialog.getByText(/minimum is \$25/).waitFor()
  const method = dialog.getByRole('combobox', { name: 'Payment method' })
  await expect(method.getByRole('option')).toHaveCount(1)
  const enabled: Record<string, boolean> = {}
  for (const value of ['', '0', '1', '-30', '1.01', '24.99', '25']) {
    await amount.fill(value)
    enabled[value] = await pay.isEnabled()
  }
  expect(enabled).toEqual({ '': false, 0: false, 1: false, '-30': false, 1.01: true, 24.99: true, 25: true })
  for (const value of ['1.01', '24.99']) {
    await amount.fill(value)
    await pay.click()
    await dialog.getByRole('alert').getByText(TOO_LOW, { exact: true }).waitFor()
  }
  await amount.press('ArrowUp') // what is said of an amount goes with it
  await expect(amount).toHaveValue('25.99')
  await dialog.getByText(TOO_LOW, { exact: true }).waitFor({ state: 'detached' })
  await amount.fill('31.01')
  await amount.press('ArrowUp')
  expect([await amount.inputValue(), await pay.isEnabled()]).toEqual(['32.01', true])
  await amount.fill('5000.01')
  await pay.click()
  await dialog.getByRole('alert').filter({ hasNotText: TOO_LOW }).waitFor()
  expect(new URL(visitor.page.url()).pathname).toBe('/')
  await visitor.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect(balance(visitor)).toBeFocused()
})

test('from a waiting song the dialog has the missing credits, at least 25, and the payment charges the song', async ({
  visitAs,
}) => {
  const ada = await person()
  await request(ada, 'la', 'Waits')
  const visitor = await visitAs(ada)
  const { page } = visitor
  await item(visitor, 'Waits').getByRole('button', { name: 'Top Up' }).click()
  const dialog = dialogOf(visitor)
  await expect(dialog.getByRole('spinbutton', { name: 'Amount' })).toHaveValue('25')
  await topUp(visitor, '25.5', 'pay')
  await page.getByRole('heading', { name: 'Payment Successful' }).waitFor()
  await page.getByText('25.50 credits were added to your balance.').waitFor()
  await page.getByRole('link', { name: 'Go Home' }).click()
  await balance(visitor).filter({ hasText: '15.50' }).waitFor()
  await item(visitor, 'Waits').getByRole('button', { name: 'Cooking...' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('older waiting songs are included, since credits are used for them first', async ({ visitAs }) => {
  const ada = await person()
  for (const style of ['First', 'Second', 'Third', 'Fourth']) await request(ada, 'la', style)
  const visitor = await visitAs(ada)
  const amount = dialogOf(visitor).getByRole('spinbutton', { name: 'Amount' })
  for (const [style, missing] of [
    ['Second', '25'],
    ['Third', '30'],
    ['Fourth', '40'],
  ] as const) {
    const topUpButton = item(visitor, style).getByRole('button', { name: 'Top Up' })
    await expect
      .poll(async () => {
        await topUpButton.click()
        const filled = await amount.inputValue()
        await visitor.page.keyboard.press('Escape')
        return filled
      })
      .toBe(missing)
  }
  await item(visitor, 'Third').getByRole('button', { name: 'Top Up' }).click()
  await topUp(visitor, '30', 'pay')
  await visitor.page.getByRole('link', { name: 'Go Home' }).click()
  await item(visitor, 'Third').getByRole('button', { name: 'Cooking...' }).waitFor()
  await item(visitor, 'Fourth').getByRole('button', { name: 'Top Up' }).waitFor()
  await balance(visitor).filter({ hasText: '0.00' }).waitFor()
})

test('a checkout that cannot be opened shows an error, and can be tried again @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.route('**/api/payments', (route) =>
    route.fulfill({
      status: 502,
      contentType: 'application/problem+json',
      json: {
        code: 'checkout_unavailable',
        detail: 'The payment page cannot be opened right now. Please try again.',
      },
    }),
  )
  await balance(visitor).click()
  const dialog = dialogOf(visitor)
  await dialog.getByRole('spinbutton', { name: 'Amount' }).fill('30')
  await dialog.getByRole('button', { name: 'Pay' }).click()
  await dialog
    .getByRole('alert')
    .getByText('The payment page cannot be opened right now. Please try again.')
    .waitFor()
  await page.unrouteAll()
  await dialog.getByRole('button', { name: 'Pay' }).click()
  await page.locator('button[name=outcome][value=pay]').waitFor()
})

test('a dialog that is closed while its checkout opens leads nowhere @night', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  const held = Promise.withResolvers<void>()
  await page.route('**/api/payments', async (route) => {
    await held.promise
    await route.fulfill({ json: { url: '#checkout' } })
  })
  await balance(visitor).click()
  const dialog = page.getByRole('dialog', { name: 'Enter Credit Amount' })
  await dialog.getByRole('spinbutton', { name: 'Amount' }).fill('25')
  await dialog.getByRole('button', { name: 'Pay' }).click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const answered = page.waitForResponse('**/api/payments')
  held.resolve()
  await (await answered).finished()
  // by the answer to a later request the page has handled that one
  expect(await page.evaluate(() => fetch('/api/me').then(() => location.hash))).toBe('')
})

test('a checkout whose page the browser was kept from opening can be opened again @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.clock.install()
  await page.route('**/api/payments', (route) => route.fulfill({ json: { url: '#checkout' } }))
  await balance(visitor).click()
  const dialog = dialogOf(visitor)
  await dialog.getByRole('spinbutton', { name: 'Amount' }).fill('25')
  await dialog.getByRole('button', { name: 'Pay' }).click()
  await dialog.getByRole('button', { name: 'Opening the payment page…' }).waitFor()
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#checkout')
  await page.clock.runFor(10_000)
  await expect(dialog.getByRole('button', { name: 'Pay' })).toBeEnabled()
})

test('after a return from a paid checkout the same amount is another checkout @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  const keys: (string | undefined)[] = []
  await page.route('**/api/payments', (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    // the browser stays on the page, as it is again after the Back button
    return route.fulfill({ json: { url: '#checkout' } })
  })
  await balance(visitor).click()
  const dialog = dialogOf(visitor)
  await dialog.getByRole('spinbutton', { name: 'Amount' }).fill('30')
  const pay = async (): Promise<void> => {
    const asks = page.waitForResponse('**/api/payments')
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click()
    await asks
  }
  await pay()
  await page.waitForURL('**/#checkout')
  // browsers of tests have no back/forward cache
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await pay()
  expect(new Set(keys).size).toBe(2)
})

test('the page of a payment asks until the credits are there, and then no more @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  let asked = 0
  await page.route('**/api/get-session*', (route) =>
    route.fulfill({
      json: { status: ++asked < 3 ? 'open' : 'complete', credited: asked >= 3, metadata: { amount: '30' } },
    }),
  )
  await page.route('**/api/live', (route) => route.abort())
  await page.clock.install()
  await page.goto('/payment-success?session_id=cs_1')
  await expect
    .poll(async () => {
      await page.clock.runFor(1_500)
      return page.getByText('30.00 credits were added to your balance.').count()
    })
    .toBe(1)
  expect(asked).toBe(3)
  for (let n = 0; n < 10; n++) await page.clock.runFor(1_500)
  expect(asked).toBe(3)
})

test('credits of a delayed payment are not announced before they arrive', async ({ visitAs }) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  const { page } = visitor
  await balance(visitor).click()
  await topUp(visitor, '30', 'pay_later')
  await page.getByText('Payment Successful').waitFor()
  await page
    .getByRole('status')
    .getByText(/Confirming|bank is still processing/)
    .waitFor()
  await expect(page.getByText('were added')).toHaveCount(0)
  const session = new URL(page.url()).searchParams.get('session_id') ?? ''
  expect((await control(session, 'settle')).status).toBe(200)
  await page.getByText('30.00 credits were added to your balance.').waitFor()
  await balance(visitor).filter({ hasText: '30.00' }).waitFor()
})

test('a delayed payment that fails is not shown as successful', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await balance(visitor).click()
  await topUp(visitor, '30', 'pay_later')
  await page.getByText('Payment Successful').waitFor()
  const session = new URL(page.url()).searchParams.get('session_id') ?? ''
  expect((await control(session, 'fail')).status).toBe(200)
  await page.getByText('was not completed').waitFor()
  await expect(page.getByText('Payment Successful')).toHaveCount(0)
})

test('a cancelled payment redirects to the page about it', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await balance(visitor).click()
  await topUp(visitor, '30', 'cancel')
  await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
  await page.getByText('Oops! Your payment was not successful. Please try again or contact support').waitFor()
  await page.getByRole('link', { name: 'support@prelude.test' }).waitFor()
  await page.getByRole('link', { name: 'Go Back Home' }).click()
  await balance(visitor).filter({ hasText: '0.00' }).waitFor()
})

test('Naira Transfer is offered in Nigeria: instructions, the e-mail as reference, and "I have sent it" once', async ({
  visitAs,
}) => {
  const ada = await person()
  const visitor = await visitAs(ada, { extraHTTPHeaders: { 'cf-ipcountry': 'NG' } })
  await balance(visitor).click()
  const dialog = dialogOf(visitor)
  await dialog.getByRole('spinbutton', { name: 'Amount' }).fill('30')
  const method = dialog.getByRole('combobox', { name: 'Payment method' })
  await expect(method.getByRole('option')).toHaveCount(2)
  await method.selectOption({ label: 'Naira Transfer' })
  await dialog.getByText('37,000 Naira').waitFor()
  for (const text of [
    'Prelude Test Bank',
    'Prelude Music Ltd',
    '0123456789',
    ada.email,
    'support@prelude.test',
  ])
    await dialog.getByText(text, { exact: true }).waitFor()
  await dialog.getByText(/e-mail must be used as the payment reference/).waitFor()
  await dialog.getByText(/Credits are added within an hour\./).waitFor()
  await expect(dialog.getByRole('button', { name: 'Pay' })).toBeDisabled()
  // the answer is lost: sent again, it is the same transfer
  await visitor.page.route(
    '**/api/payments/naira-transfers',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await dialog.getByRole('button', { name: 'I have sent it' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'I have sent it' }).click()
  await visitor.page.getByRole('status').filter({ hasText: 'Thank you.' }).waitFor()
  await dialog.waitFor({ state: 'detached' })

  await balance(visitor).click()
  await method.selectOption({ label: 'Naira Transfer' })
  await dialog.getByRole('button', { name: 'I have sent it' }).click()
  await dialog.getByRole('alert').waitFor()
})
