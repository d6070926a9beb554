import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { banner, message, visitAs } from './steps.ts'
import { fulfil, give, person, request, studio } from './studio.ts'
import { busy, button, expectSigns, goto, idle, status } from './waits.ts'

/** Loading states of a person's account and data. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

test('every request of the account page shows a loading state', async () => {
  const ada = await person()
  await person(ada)
  await using visitor = await visitAs(browser, studio().web, ada)
  await expectSigns(visitor, [
    {
      what: 'what closing the account takes',
      held: /\/api\/account\/closing/,
      begin: goto('/your-data'),
      sign: status,
      result: button('Close my account permanently'),
    },
    {
      what: 'the sessions',
      held: /\/api\/sessions$/,
      begin: goto('/sessions'),
      sign: status,
      result: (page) => page.getByRole('list', { name: 'Sessions' }),
    },
    {
      what: 'the end of a session elsewhere',
      held: /\/api\/sessions\/[\w-]+$/,
      begin: (page) => button(/^Sign out node/)(page).click(),
      sign: (page) => busy(button(/^Sign out node/)(page)),
      result: (page) => status(page, 'The session is ended.'),
    },
    {
      what: 'the end of all other sessions',
      held: /\/api\/auth\/logout-everywhere/,
      begin: (page) => button('Sign out everywhere')(page).click(),
      sign: (page) => busy(button('Sign out everywhere')(page)),
      result: (page) => status(page, 'All other sessions are ended.'),
    },
    {
      what: 'the end of a session',
      held: /\/api\/auth\/logout/,
      begin: async (page) => {
        await banner(visitor).getByRole('button', { name: 'Ada' }).click()
        await page.getByRole('menuitem', { name: 'Logout' }).click()
      },
      sign: status,
      result: button(/^Sign in/),
    },
  ])
})

test('every request of the notices and the preferences shows a loading state', async () => {
  const ada = await person()
  await give(ada, 10)
  await fulfil(await request(ada, 'la', 'folk'))
  await using visitor = await visitAs(browser, studio().web, ada)
  const panel = visitor.page.getByRole('region', { name: 'Notices' })
  const late = visitor.page.getByRole('checkbox', { name: /late/ })
  await expectSigns(visitor, [
    {
      what: 'the notices',
      held: /\/api\/notices$/,
      begin: async (page) => {
        await page.reload({ waitUntil: 'commit' })
        await button(/^Notices/)(page).click()
      },
      sign: () => panel.getByRole('status').first(),
      result: () => panel.getByRole('link', { name: /ready/ }),
    },
    {
      what: 'that all are read',
      held: /\/api\/notices\/read$/,
      begin: (page) => button('Mark all as read')(page).click(),
      sign: (page) => busy(button('Mark all as read')(page)),
      result: (page) => idle(button('Mark all as read')(page)),
    },
    {
      what: 'the preferences',
      held: /\/api\/preferences$/,
      begin: goto('/preferences'),
      sign: status,
      result: () => late,
    },
    {
      what: 'a changed preference',
      held: /\/api\/preferences$/,
      method: 'PUT',
      begin: () => late.click(),
      sign: () => busy(late),
      result: () => idle(late),
    },
  ])
})

test('closing the account shows a loading state', async () => {
  const ada = await person()
  await using visitor = await visitAs(browser, studio().web, ada)
  const close = button('Close my account permanently')
  await expectSigns(visitor, [
    {
      what: 'the end of an account',
      held: /\/api\/account\/close$/,
      begin: async (page) => {
        await page.goto(`${studio().web}/your-data`)
        await page.getByLabel('Type your e-mail address to confirm').fill(ada.email)
        await close(page).click()
      },
      sign: (page) => busy(close(page)),
      result: (page) => status(page, 'Your account is closed'),
    },
  ])
})

test('an export that the server has to make is announced', async () => {
  await using visitor = await visitAs(browser, studio().web, await person())
  const { page } = visitor
  for (const [path, name] of [
    ['/statement', 'Save as CSV'],
    ['/your-data', 'Download your data'],
  ] as const) {
    await page.goto(`${studio().web}${path}`)
    const comes = page.waitForEvent('download')
    await page.getByRole('link', { name }).click()
    await message(visitor, 'status', 'Your download begins in a moment.').waitFor()
    await (await comes).delete()
  }
})
