import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { balance, visitAs } from './steps.ts'
import { give, person, studio } from './studio.ts'
import { busy, button, click, expectSigns, goto, idle, LONG_MS, status } from './waits.ts'

/** Loading states of payments and the statement. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

test('every request of a top-up shows a loading state', { timeout: LONG_MS }, async () => {
  await using visitor = await visitAs(browser, studio().web, await person(), {
    extraHTTPHeaders: { 'cf-ipcountry': 'NG' },
  })
  const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Enter Credit Amount' })
  const method = (page: Page): Locator => dialog(page).getByRole('combobox', { name: 'Payment method' })
  const openTopUp = (): Promise<unknown> => balance(visitor).click()
  await expectSigns(visitor, [
    {
      what: 'the dialog for credits',
      held: /\/assets\/top-up-dialog-.*\.js/,
      begin: async (page) => {
        await page.goto(studio().web)
        await openTopUp()
      },
      sign: status,
      result: dialog,
    },
    {
      what: 'the ways to pay',
      held: /\/api\/payment-methods/,
      begin: async (page) => {
        await page.goto(studio().web)
        await openTopUp()
      },
      sign: (page) => busy(method(page)),
      result: (page) => idle(method(page)),
    },
    {
      what: 'a transfer that was sent',
      held: /\/api\/payments\/naira-transfers/,
      begin: async (page) => {
        await method(page).selectOption({ label: 'Naira Transfer' })
        await button('I have sent it')(page).click()
      },
      sign: (page) => busy(button('I have sent it')(page)),
      result: (page) => status(page, 'Thank you.'),
    },
    {
      what: 'the page to pay on',
      held: /\/api\/payments$/,
      begin: async (page) => {
        await openTopUp()
        await dialog(page).getByRole('spinbutton').fill('25')
        await dialog(page).getByRole('button', { name: 'Pay' }).click()
      },
      sign: (page) => busy(button('Opening the payment page…')(page)),
      result: (page) => page.locator('button[name=outcome]').first(),
    },
  ])
})

test('every request of the statement shows a loading state', async () => {
  const ada = await person()
  for (let n = 0; n < 51; n++) await give(ada, 1)
  await ada.post('/api/payments', { amount: 25 })
  await using visitor = await visitAs(browser, studio().web, ada)
  await expectSigns(visitor, [
    {
      what: 'the statement',
      held: /\/api\/credits\/entries/,
      begin: goto('/statement'),
      sign: status,
      result: (page) => page.getByRole('region', { name: 'Entries' }),
    },
    {
      what: 'the payments',
      held: /\/api\/payments\?limit=100/,
      begin: async (page) => {
        await goto('/statement')(page)
        // their own loading state has the same text
        await page.getByRole('region', { name: 'Entries' }).waitFor()
      },
      sign: status,
      result: (page) => page.getByRole('region', { name: 'List of payments' }),
    },
    {
      what: 'more of the statement',
      held: /\/api\/credits\/entries.*cursor/,
      begin: click(button('Show more')),
      sign: (page) => busy(button('Loading…')(page)),
      result: (page) => page.getByRole('row').nth(51),
    },
    {
      what: 'the checkout to go on with',
      held: /\/api\/payments\?limit=100/,
      begin: goto('/payment-failed'),
      sign: (page) => busy(button('Try again')(page)),
      result: (page) => page.getByRole('link', { name: /^Continue to pay/ }),
    },
  ])
})
