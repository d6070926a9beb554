import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { openPage } from './owner-steps.ts'
import { visitAs } from './steps.ts'
import { fulfil, give, person, request, studio } from './studio.ts'
import { busy, expectSigns, idle, LONG_MS, status } from './waits.ts'

/** Loading states of what an owner does with a song that is kept, and of its links. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

test(
  'every request about a kept song and its links shows a loading state',
  { timeout: LONG_MS },
  async () => {
    const ada = await person()
    await give(ada, 10)
    const song = await fulfil(await request(ada, 'la', 'Kept'))
    await using visitor = await visitAs(browser, studio().web, ada)
    const button = (name: string) => (page: Page) =>
      page.getByRole('main').getByRole('button', { name, exact: true })
    const inDialog = (name: string) => (page: Page) => page.getByRole('dialog').getByRole('button', { name })
    const press = (find: (page: Page) => Locator) => (page: Page) => find(page).click()
    const isBusy = (find: (page: Page) => Locator) => (page: Page) => busy(find(page))
    // loaded: a page that is still being committed may miss that its requests are held from now on
    await openPage(visitor, song)
    const change = { held: /\/api\/songs\/[^/]+$/, method: 'PATCH' }
    await expectSigns(visitor, [
      {
        ...change,
        what: 'a title',
        begin: async (page) => {
          await button('Rename')(page).click()
          await page.getByRole('textbox', { name: 'Title' }).fill('Rain')
          await page.keyboard.press('Enter')
        },
        sign: isBusy(button('Save')),
        result: (page) => page.getByRole('heading', { level: 1, name: 'Rain' }),
      },
      ...['Favourite', 'Prefer Version 2'].map((name) => ({
        ...change,
        what: name,
        begin: press(button(name)),
        sign: isBusy(button(name)),
        result: (page: Page) => idle(page.getByRole('button', { name, pressed: true })),
      })),
      {
        ...change,
        what: 'the archive',
        begin: press(button('Archive')),
        sign: isBusy(button('Archive')),
        result: button('Back to the album'),
      },
      {
        what: 'the links',
        held: /\/shares\?/,
        begin: press(button('Share')),
        sign: (page) => status(page),
        result: (page) => page.getByText('No links yet.'),
      },
      {
        what: 'a new link',
        held: /\/shares$/,
        begin: press(inDialog('Make link')),
        sign: isBusy(inDialog('Make link')),
        result: (page) => page.getByRole('textbox', { name: 'Link' }),
      },
      {
        what: 'the end of a link',
        held: /\/api\/shares\//,
        begin: press(inDialog('End link')),
        sign: isBusy(inDialog('End link')),
        result: (page) => page.getByRole('dialog').getByText(/ended/),
      },
    ])
    expect(visitor.errors).toEqual([])
  },
)
