import { expect, type OpenVisit, type OpenVisitAs, test } from './fixtures.ts'
import { confirm, money, moneyRow, openTab, question } from './operator-steps.ts'
import { balance, message, type Visit } from './steps.ts'
import { mail, newcomer, pay, person, request, studio } from './studio.ts'

/** People, their money and their transfers at `/operator/money`. */

const FROM_NIGERIA = { extraHTTPHeaders: { 'cf-ipcountry': 'NG' } }

/** Announces a transfer in the dialog. */
async function announceTransfer(visitor: Visit): Promise<void> {
  await balance(visitor).click()
  const dialog = visitor.page.getByRole('dialog', { name: 'Enter Credit Amount' })
  await dialog.getByRole('combobox', { name: 'Payment method' }).selectOption({ label: 'Naira Transfer' })
  await dialog.getByRole('button', { name: 'I have sent it' }).click()
  await message(visitor, 'status', /^Thank you\./).waitFor()
}

/** An open desk, and somebody in Nigeria who has announced a transfer. */
async function announcedTransfer(visitOperator: OpenVisit, visitAs: OpenVisitAs) {
  const desk = await visitOperator()
  await openTab(desk, 'Transfers')
  const bola = await person(newcomer('Bola Ige'))
  const sender = await visitAs(bola, FROM_NIGERIA)
  await announceTransfer(sender)
  return { desk, bola, sender }
}

test('a transfer from Nigeria appears at the open desk; after its confirmation the credits appear for its sender, both live @night', async ({
  visitAs,
  visitOperator,
}) => {
  const { desk, bola, sender } = await announcedTransfer(visitOperator, visitAs)
  const notice = await mail(studio().operator.email, new RegExp(`announced by ${bola.email}`))
  expect(notice.text).toContain(bola.email)

  const waiting = moneyRow(desk, bola.email)
  await waiting.getByText(/announced .*20\d\d/).waitFor()
  await waiting.getByRole('textbox', { name: 'Naira received' }).fill('36999.99')
  await waiting.getByRole('button', { name: 'Confirm' }).click()
  await confirm(desk, 'Give 24.99 credits').click()
  await desk.page.getByRole('alert').first().waitFor()
  await waiting.getByRole('textbox', { name: 'Naira received' }).fill('40000')
  await waiting.getByRole('button', { name: 'Confirm' }).click()
  const asked = question(desk, 'Did ₦40,000.00 arrive from Bola Ige?')
  await asked.getByText(bola.email).waitFor()
  await asked.getByText('They have 0.00 credits, and 27.02 afterwards').waitFor()
  // nothing happens before the second step
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await asked.waitFor({ state: 'detached' })
  expect((await bola.get<{ balance: number }>('/api/credits')).body.balance).toBe(0)
  await waiting.getByRole('button', { name: 'Confirm' }).click()
  await confirm(desk, 'Give 27.02 credits').click()
  await message(desk, 'status', 'Transfer confirmed.').waitFor()
  await waiting.waitFor({ state: 'detached' })
  await balance(sender).filter({ hasText: '27.02' }).waitFor()
  const receipt = await mail(bola.email, /bank transfer arrived/)
  expect(receipt.text).toContain('27.02')
  expect(receipt.html).toContain('27.02')
})

test('a rejected transfer adds no credits, sends a mail, and another may be announced @night', async ({
  visitAs,
  visitOperator,
}) => {
  const { desk, bola, sender } = await announcedTransfer(visitOperator, visitAs)
  const waiting = moneyRow(desk, bola.email)
  const reject = waiting.getByRole('button', { name: 'Reject' })
  await expect(reject).toBeDisabled()
  await waiting.getByRole('textbox', { name: 'Reason to reject' }).fill('no such money')
  await reject.click()
  await message(desk, 'status', 'Transfer rejected.').waitFor()
  await waiting.waitFor({ state: 'detached' })
  await mail(bola.email, /could not find your bank transfer/)
  await announceTransfer(sender)
  await waiting.waitFor()
  await balance(sender).filter({ hasText: '0.00' }).waitFor()
})

test('a transfer that was not announced can be recorded @night', async ({ visitOperator }) => {
  const desk = await visitOperator()
  await openTab(desk, 'Transfers')
  const bola = await person(newcomer('Bola Ige'))
  await money(desk).getByText('Record an unannounced transfer').click()
  await money(desk).getByRole('textbox', { name: 'E-mail' }).fill(bola.email)
  await money(desk).getByRole('button', { name: 'Record' }).click()
  await question(desk, 'Did ₦37,000.00 arrive from Bola Ige?').waitFor()
  await confirm(desk, 'Give 25.00 credits').click()
  await message(desk, 'status', 'Transfer recorded.').waitFor()
  // the next press would be another transfer
  await expect(money(desk).getByRole('textbox', { name: 'E-mail' })).toHaveValue('')
  await expect.poll(async () => (await bola.get<{ balance: number }>('/api/credits')).body.balance).toBe(25)
})

test('people can be found, and their credits adjusted, with an entry in the audit @night', async ({
  visitOperator,
}) => {
  const desk = await visitOperator()
  const bola = await person(newcomer('Bola Ige'))
  await openTab(desk, 'People')
  await money(desk).getByRole('searchbox', { name: 'Search people' }).fill(bola.email)
  const found = moneyRow(desk, bola.email)
  await found.getByText('0.00').waitFor()
  await found.getByText('Adjust credits').click()
  await found.getByRole('textbox', { name: 'Credits' }).fill('-5')
  await found.getByRole('textbox', { name: 'Reason' }).fill('for nothing')
  await found.getByRole('button', { name: 'Adjust' }).click()
  await question(desk, 'Take 5.00 credits from Bola Ige?').waitFor()
  await confirm(desk, 'Take 5.00 credits').click()
  await desk.page.getByRole('alert').first().waitFor()
  await found.getByRole('textbox', { name: 'Credits' }).fill('12.5')
  await found.getByRole('button', { name: 'Adjust' }).click()
  const asked = question(desk, 'Give 12.50 credits to Bola Ige?')
  for (const part of [bola.email, 'They have 0.00 credits, and 12.50 afterwards', 'Reason: for nothing'])
    await asked.getByText(part).waitFor()
  await confirm(desk, 'Give 12.50 credits').click()
  await message(desk, 'status', 'Credits adjusted.').waitFor()
  await found.getByText('12.50').waitFor()
  // the next press would be another adjustment
  for (const field of ['Credits', 'Reason'])
    await expect(found.getByRole('textbox', { name: field })).toHaveValue('')
  // the button that asked is disabled now: the next Tab leads to the first field
  await expect(found.locator('form')).toBeFocused()
  await openTab(desk, 'Audit')
  const entries = moneyRow(desk, bola.email).filter({ hasText: 'The operator adjusted credits' })
  const done = entries.filter({ hasText: '12.5 credits: for nothing' })
  await done.getByText('Bola Ige').waitFor()
  await done.getByText(/^\w{3}\s\d+,\s20\d\d,\s\d+:\d\d/).waitFor()
  await entries.filter({ hasText: 'Refused: insufficient credits' }).waitFor()
})

test('the operator signs a person out everywhere @night', async ({ visitOperator, visitAs }) => {
  const bola = await person(newcomer('Bola Ige'))
  const elsewhere = await visitAs(bola)
  const desk = await visitOperator()
  await openTab(desk, 'People')
  await money(desk).getByRole('searchbox', { name: 'Search people' }).fill(bola.email)
  await moneyRow(desk, bola.email).getByRole('button', { name: 'Sign out everywhere' }).click()
  await question(desk, 'Sign Bola Ige out everywhere?').getByText(bola.email).waitFor()
  await confirm(desk, 'Sign out everywhere').click()
  await message(desk, 'status', 'All their sessions have ended.').waitFor()
  await message(elsewhere, 'alert', 'Please sign in first.').waitFor()
})

test('while the person of a question is not found, nothing can be confirmed @night', async ({
  visitOperator,
}) => {
  const bola = await person(newcomer('Bola Ige'))
  await pay(bola, 30)
  const desk = await visitOperator()
  await openTab(desk, 'Payments')
  const paid = moneyRow(desk, bola.email)
  await paid.getByText('Refund').first().click()
  await desk.page.route('**/api/operator/people?*', (route) =>
    route.fulfill({ status: 400, json: { code: 'invalid_request', detail: 'It cannot be read.' } }),
  )
  await paid.getByRole('button', { name: 'Refund' }).click()
  const giveBack = confirm(desk, 'Give back $30.00')
  const again = desk.page.getByRole('dialog').getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await expect(giveBack).toBeDisabled()
  await desk.page.unrouteAll()
  await again.click()
  await question(desk, 'Give back $30.00 to Bola Ige?').getByText(bola.email).waitFor()
  await expect(giveBack).toBeEnabled()
  await desk.page.keyboard.press('Escape')

  await openTab(desk, 'Transfers')
  await money(desk).getByText('Record an unannounced transfer').click()
  await money(desk).getByRole('textbox', { name: 'E-mail' }).fill(newcomer().email)
  await money(desk).getByRole('button', { name: 'Record' }).click()
  await desk.page.getByRole('dialog').getByText('Nobody with this address').waitFor()
  await expect(confirm(desk, 'Give 25.00 credits')).toBeDisabled()
})

test('payments that were not completed are shown on request @night', async ({ visitOperator }) => {
  const bola = await person(newcomer('Bola Ige'))
  const { body } = await bola.post<{ url: string }>('/api/payments', { amount: 25 })
  const session = new URL(body.url).pathname.split('/').at(-1)
  await fetch(`${studio().checkout}/control/sessions/${session}/expire`, { method: 'POST', body: '{}' })
  await expect
    .poll(async () => (await bola.get('/api/payments')).body)
    .toMatchObject({ items: [{ status: 'expired' }] })
  const desk = await visitOperator()
  await openTab(desk, 'Payments')
  const row = moneyRow(desk, bola.email)
  const show = money(desk).getByRole('checkbox', { name: 'Show payments that were not completed' })
  await show.check()
  await row.getByText(/^abandoned/).waitFor()
  await show.uncheck()
  await row.waitFor({ state: 'detached' })
})

test('an adjustment of more than 1,000 credits asks for the password in its form @night', async ({
  visitOperator,
}) => {
  const ada = await person(newcomer('Large Amount'))
  const desk = await visitOperator()
  await openTab(desk, 'People')
  await money(desk).getByRole('searchbox', { name: 'Search people' }).fill(ada.email)
  const found = moneyRow(desk, ada.email)
  await found.getByText('Adjust credits').click()
  const adjust = found.getByRole('button', { name: 'Adjust' })
  const credits = found.getByRole('textbox', { name: 'Credits' })
  await found.getByRole('textbox', { name: 'Reason' }).fill('a large one')
  await credits.fill('10000.01')
  await adjust.click()
  await message(desk, 'alert', 'One adjustment can be at most 10,000 credits.').waitFor()
  await credits.fill('1500')
  await adjust.click()
  await confirm(desk, 'Give 1500.00 credits').click()
  await message(desk, 'alert', 'An amount of this size also needs the admin password.').waitFor()
  await found.getByLabel('Admin password').fill(studio().operator.password)
  await adjust.click()
  await confirm(desk, 'Give 1500.00 credits').click()
  await message(desk, 'status', 'Credits adjusted.').waitFor()
  await found.getByText('1500.00').waitFor()
  await expect(found.getByLabel('Admin password')).toHaveCount(0)
})

test('before a refund of spent credits the desk says what its person will owe; afterwards the person reads it in a mail, at home and in the statement @night', async ({
  visitAs,
  visitOperator,
}) => {
  const hauwa = await person(newcomer('Hauwa Jalo'))
  await pay(hauwa, 30)
  for (const style of ['First of two', 'Second of two']) await request(hauwa, 'la', style)
  const visitor = await visitAs(hauwa)
  const desk = await visitOperator()
  await openTab(desk, 'Payments')
  const paid = moneyRow(desk, hauwa.email)
  await paid.getByText('Refund').first().click()
  await paid.getByRole('button', { name: 'Refund' }).click()
  const asked = question(desk, 'Give back $30.00 to Hauwa Jalo?')
  await asked.getByText('20.00 of these 30.00 credits are spent; they will owe 20.00.').waitFor()
  await asked.getByText('Without a debt, at most $10.00 can be given back.').waitFor()
  await confirm(desk, 'Give back $30.00').click()
  await message(desk, 'status', 'Payment refunded.').waitFor()

  const told = await mail(hauwa.email, /^Your payment was refunded/)
  for (const part of ['$30.00', '20.00 of them were spent already', 'Owed in all: 20.00 credits'])
    expect(told.text).toContain(part)
  await visitor.page.getByText('You owe 20.00 credits:').waitFor()
  await visitor.page.goto('/statement')
  await visitor.page.getByRole('row', { name: /Payment reversed.*-30\.00\s*\(20\.00 owed\)/ }).waitFor()
})
