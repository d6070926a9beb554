import { test } from './fixtures.ts'
import { looker } from './inspect.ts'
import { choices, region, upload } from './operator-steps.ts'
import { balance, item, message, requestSong } from './steps.ts'
import { give, newcomer, pay, person, request, studio } from './studio.ts'

/** Accessibility of transient states and errors: narrow and wide, light and dark. */

test('a submit during and after its request, and the dialog for credits @night', async ({ visitAs }) => {
  const ada = await person(newcomer('Ada Obi'))
  await give(ada, 10)
  await request(ada, 'Quiet in the kitchen', 'Bossa nova, nylon guitar')
  const visitor = await visitAs(ada)
  const { page } = visitor
  const { look, done } = looker(visitor)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/songs', async (route) => {
    if (route.request().method() === 'POST') await held.promise
    await route.fallback()
  })
  await requestSong(visitor, 'Paper boats on a Sunday river', 'Acoustic folk, fingerpicked')
  await message(visitor, 'status', 'Submitting your demo request...').waitFor()
  await look('a request on its way')
  held.resolve()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  await item(visitor, 'Acoustic folk').getByRole('button', { name: 'Top Up' }).click()
  await page.getByRole('dialog', { name: 'Enter Credit Amount' }).waitFor()
  await look('the dialog for credits')
  done()
})

test('the results of a payment @night', async ({ visitAs }) => {
  const ada = await person(newcomer('Ada Obi'))
  const visitor = await visitAs(ada)
  const { page } = visitor
  const { look, done } = looker(visitor)
  await page.goto(`/payment-success?session_id=${await pay(ada, 25)}`)
  await page.getByText('25.00 credits were added').waitFor()
  await look('a payment that arrived')
  await balance(visitor).click()
  await page.getByRole('spinbutton', { name: 'Amount' }).fill('30')
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.locator('button[name=outcome][value=pay_later]').click()
  await page.getByText('Payment Successful').waitFor()
  const session = new URL(page.url()).searchParams.get('session_id') ?? ''
  await page.getByRole('status').filter({ hasText: 'Your bank is still processing' }).waitFor()
  await look('a payment on its way')
  await page.goto('/your-data')
  await page.getByRole('main').getByRole('link', { name: /@/ }).waitFor()
  await look('an account that cannot be closed yet')
  await page.goBack()
  await fetch(`${studio().checkout}/control/sessions/${session}/fail`, { method: 'POST', body: '{}' })
  await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
  await look('a payment that failed later')
  done()
})

test('a lost connection, and a closed account @night', async ({ visitAs }) => {
  const ada = await person(newcomer('Ada Obi'))
  const visitor = await visitAs(ada)
  const { page } = visitor
  const { look, done } = looker(visitor)
  await page.route('**/api/live', (route) => route.abort())
  await page.reload()
  await page.getByText('Connection lost. Trying again…').waitFor()
  await look('a connection that is lost')
  await page.unroute('**/api/live')
  await page.goto('/your-data')
  await page.getByLabel('Type your e-mail address to confirm').fill(ada.email)
  await page.getByRole('button', { name: 'Close my account permanently' }).click()
  await message(visitor, 'status', 'Your account is closed').waitFor()
  await look('an account that is closed')
  // the errors are those of the simulated failures
  visitor.errors.length = 0
  done()
})

test('a server that does not answer, and a chunk of the app that cannot be loaded @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  const { look, done } = looker(visitor)
  await page.route('**/api/me', (route) => route.fulfill({ status: 503, json: { code: 'unavailable' } }))
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'The server does not respond' }).waitFor()
  await look('a server that does not answer')
  await page.unroute('**/api/me')
  await page.route('**/assets/statement-*.js', (route) => route.abort())
  await page.goto('/statement')
  await page.getByRole('button', { name: 'Load the page again' }).waitFor()
  await look('a chunk of the app that cannot be loaded')
  // the errors are those of the simulated failures
  visitor.errors.length = 0
  done()
})

test('messages to the operator, and the operations page before the password @night', async ({
  visitOperator,
}) => {
  const visitor = await visitOperator()
  const { page } = visitor
  const { look, done } = looker(visitor)
  await upload(visitor).click()
  await message(visitor, 'alert', 'Select a song ID to upload to.').waitFor()
  await choices(visitor).waitFor()
  await look('a refused upload')
  await region(visitor).getByRole('button', { name: 'Lock' }).click()
  await region(visitor).getByRole('button', { name: 'Unlock' }).waitFor()
  await page.goto('/ops')
  await page.getByLabel('Admin password').waitFor()
  await look('the page of operations, locked')
  done()
})
