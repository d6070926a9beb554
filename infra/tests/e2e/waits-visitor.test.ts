import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { album, identify, visit } from './steps.ts'
import { newcomer, studio } from './studio.ts'
import { busy, button, click, expectSigns, goto, idle, status } from './waits.ts'

/** Loading states of a visitor's pages. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

test('every request of a visitor’s pages shows a loading state', async () => {
  await using visitor = await visit(browser)
  const sample = button('Play sample A of Temi Ade')
  const signIn = button(/^Sign in with/)
  await expectSigns(visitor, [
    {
      what: 'a page that is read late',
      held: /\/assets\/payment-failed-.*\.js/,
      begin: goto('/payment-failed'),
      sign: status,
      result: (page) => page.getByRole('heading', { name: 'Payment Failed' }),
    },
    {
      what: 'whether a visitor is signed in, after a checkout',
      held: /\/api\/me$/,
      begin: goto('/payment-success?session_id=cs_x'),
      sign: (page) => status(page, 'Confirming your payment…'),
      result: (page) => status(page, 'Please sign in first.'),
    },
    {
      what: 'a sample',
      held: /\/samples\/.*\.mp3/,
      begin: async (page) => {
        await page.goto(studio().web)
        await sample(page).click()
      },
      sign: (page) => busy(sample(page)),
      result: (page) => idle(sample(page)),
    },
    {
      what: 'another language',
      held: /\/assets\/fr-.*\.js/,
      begin: click(button('Français')),
      sign: status,
      result: button('Essayer'),
    },
    {
      what: 'somebody who signs in',
      held: /\/api\/me$/,
      begin: async (page) => {
        await page.getByRole('button', { name: 'English' }).click()
        const opens = page.waitForEvent('popup')
        await page.getByRole('button', { name: 'Try Now' }).click()
        await identify(await opens, newcomer())
      },
      sign: (page) => busy(signIn(page)),
      result: () => album(visitor),
    },
  ])
})
