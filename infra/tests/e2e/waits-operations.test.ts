import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { heal, poison } from '../support/poison.ts'
import { launchBrowser } from './browser.ts'
import { visitOperator } from './operator-steps.ts'
import { give, type Known, person, request, studio } from './studio.ts'
import { busy, button, expectSigns, goto, LONG_MS, status } from './waits.ts'

/** Loading states of the operations page. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

const letters = (page: Page): Locator =>
  page.getByRole('region', { name: 'Dead letters', exact: true }).first()

test('every request of the operations page shows a loading state', async () => {
  await request(await person(), 'la', 'Announced')
  await using visitor = await visitOperator(browser)
  await expectSigns(visitor, [
    {
      what: 'the page of operations',
      held: /\/assets\/ops-page-.*\.js/,
      begin: goto('/ops'),
      sign: status,
      result: (page) => page.getByRole('heading', { name: 'Operations' }),
    },
    {
      what: 'the state of every service',
      held: /\/api\/operator\/ops\/live/,
      begin: goto('/ops'),
      sign: status,
      result: (page) => page.getByRole('region', { name: 'Services' }).first(),
    },
    {
      what: 'a mail that is sent again',
      held: /\/mails\/.*\/resend/,
      begin: async (page) => {
        await button(/^Send again/)(page).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
      },
      sign: (page) => page.locator('button[aria-busy=true]'),
      result: (page) => status(page, 'The mail will be sent again.'),
    },
  ])
})

test('every request about dead letters shows a loading state', { timeout: LONG_MS }, async () => {
  const [given, again, ...rest] = [await person(), await person(), await person(), await person()] as const
  const people = [given, again, ...rest]
  for (const one of people) await give(one, 10)
  onTestFinished(() => heal(studio()))
  await poison(studio(), ...people.map(({ uid }) => uid))
  for (const one of people) await one.post('/api/songs', { lyrics: 'la', style: 'folk' })
  await using visitor = await visitOperator(browser)
  const { page } = visitor
  const letter = ({ uid }: Known): Locator => letters(page).getByRole('listitem').filter({ hasText: uid })
  const discard = (): Locator => letter(given).getByRole('button', { name: 'Discard permanently' })
  const replay = (): Locator => letter(again).getByRole('button', { name: /^Replay SongRequested/ })
  await page.goto(`${studio().web}/ops`)
  for (const one of people) await letter(one).waitFor()
  await expectSigns(visitor, [
    {
      what: 'an event that is given up',
      held: /\/dead-letters\/credits\/\d+\/discard$/,
      begin: async () => {
        await letter(given).getByText('Discard…').click()
        await letter(given).getByLabel('Reason').fill('for a story')
        await discard().click()
      },
      sign: () => busy(discard()),
      result: () => status(page, 'Discarded.'),
    },
    {
      what: 'an event that is handled again',
      held: /\/dead-letters\/credits\/\d+\/replay$/,
      begin: async () => {
        await poison(studio(), ...rest.map(({ uid }) => uid))
        await replay().click()
      },
      sign: () => busy(replay()),
      result: () => status(page, 'Replay requested.'),
    },
    {
      what: 'all events of a service that are handled again',
      held: /\/dead-letters\/credits\/replay$/,
      begin: async () => {
        await letter(again).waitFor({ state: 'detached' })
        await heal(studio())
        await button('Replay all of credits')(page).click()
      },
      sign: () => busy(button('Replay all of credits')(page)),
      result: () => letters(page).getByText('No dead letters.'),
    },
  ])
})
