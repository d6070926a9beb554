import type { Browser, Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { chargedSong, choices, choose, input, region, upload, visitOperator, wav } from './operator-steps.ts'
import {
  album,
  balance,
  banner,
  identify,
  item,
  message,
  player,
  requestSong,
  visit,
  type Visit,
  visitAs,
} from './steps.ts'
import { fulfil, give, newcomer, person, request, studio } from './studio.ts'

/**
 * Whatever the page asks the server for shows that it waits: each of these requests is held until a sign of it is seen,
 * then let go until its result is there.
 */

interface Wait {
  readonly what: string
  /** The address of the request, and its method where another one has the same address. */
  readonly held: RegExp
  readonly method?: string
  readonly begin: (page: Page) => Promise<unknown>
  readonly sign: (page: Page) => Locator
  readonly result: (page: Page) => Locator
}

const LONG_MS = 240_000

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

/** What a worker keeps cannot be held. */
const HELD = { serviceWorkers: 'block' } as const

const status = (page: Page, text: string | RegExp = 'Loading…'): Locator =>
  page.getByRole('status').filter({ hasText: text }).first()

const busy = (control: Locator): Locator => control.and(control.page().locator('[aria-busy=true]'))
const idle = (control: Locator): Locator => control.and(control.page().locator(':not([aria-busy=true])'))

/** Gathers what shows nothing, so that one run tells of all. */
async function expectSigns(visitor: Visit, waits: readonly Wait[]): Promise<void> {
  const silent: string[] = []
  for (const wait of waits) {
    const outcome = await follow(visitor.page, wait)
    if (outcome !== null) silent.push(`${wait.what}: ${outcome}`)
  }
  expect(silent).toEqual([])
}

async function follow(page: Page, { held, method, begin, sign, result }: Wait): Promise<string | null> {
  const released = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const hold = async (route: Route): Promise<void> => {
    if (method !== undefined && route.request().method() !== method) return route.fallback()
    asked.resolve()
    await released.promise
    await route.fallback()
  }
  await page.route(held, hold)
  let at = 'begin'
  try {
    await begin(page)
    at = 'ask'
    await asked.promise
    at = 'show that it waits'
    await sign(page).waitFor()
    released.resolve()
    at = 'show its result'
    await result(page).waitFor()
    return null
  } catch (error) {
    return `did not ${at}: ${String(error).slice(0, 300)}`
  } finally {
    released.resolve()
    await page.unroute(held, hold)
  }
}

const goto =
  (path: string) =>
  (page: Page): Promise<unknown> =>
    page.goto(`${studio().web}${path}`, { waitUntil: 'commit' })
const click =
  (find: (page: Page) => Locator) =>
  (page: Page): Promise<unknown> =>
    find(page).click()
const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first()

test('a visitor sees every wait', async () => {
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
      what: 'what a payment has come to',
      held: /\/api\/get-session/,
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

test('a person sees every wait of their home', { timeout: LONG_MS }, async () => {
  const ada = await person()
  await give(ada, 20)
  await fulfil(await request(ada, 'la', 'Finished'))
  for (let n = 0; n < 31; n++) await ada.post('/api/songs', { lyrics: 'la', style: 'Another' })
  await using visitor = await visitAs(browser, studio().web, ada, {
    ...HELD,
    extraHTTPHeaders: { 'cf-ipcountry': 'NG' },
  })
  const busyList = (): Locator => album(visitor).locator('[aria-busy=true]')
  const search = (page: Page): Locator => page.getByRole('searchbox', { name: 'Search my album' })
  const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Enter Credit Amount' })
  const method = (page: Page): Locator => dialog(page).getByRole('combobox', { name: 'Payment method' })
  const openTopUp = (): Promise<unknown> => balance(visitor).click()
  const pause = (): Locator => player(visitor).getByRole('button', { name: 'Pause' })
  const openPlayer = async (page: Page): Promise<void> => {
    await search(page).fill('Finished')
    await expect.poll(() => album(visitor).getByRole('listitem').count()).toBe(1)
    await item(visitor, 'Finished').getByRole('button', { name: 'Download' }).click()
    await page.getByRole('menuitem', { name: 'Version 1' }).click()
  }
  await expectSigns(visitor, [
    {
      what: 'who is here',
      held: /\/api\/me$/,
      begin: goto('/'),
      sign: status,
      result: () => album(visitor),
    },
    {
      what: 'what they have',
      held: /\/api\/me$/,
      begin: goto('/'),
      sign: () => banner(visitor).getByRole('button', { name: 'Loading...' }),
      result: () => banner(visitor).getByRole('button', { name: /\d\.\d\d/ }),
    },
    {
      what: 'the album',
      held: /\/api\/songs\?limit=30$/,
      begin: goto('/'),
      sign: busyList,
      result: () => item(visitor, 'Another').first(),
    },
    {
      what: 'more of the album',
      held: /\/api\/songs\?limit=30&cursor/,
      begin: (page) => page.mouse.wheel(0, 9_000),
      sign: busyList,
      result: () => item(visitor, 'Finished'),
    },
    {
      what: 'a search',
      held: /\/api\/songs\?.*q=nothing/,
      begin: (page) => search(page).fill('nothing'),
      sign: busyList,
      result: () => album(visitor).getByText('No request matches.'),
    },
    {
      what: 'a request',
      held: /\/api\/songs$/,
      method: 'POST',
      begin: async (page) => {
        await search(page).fill('')
        await requestSong(visitor, 'la', 'One more')
      },
      sign: (page) => busy(button('Cooking...')(page)),
      result: (page) => status(page, 'Request submitted.'),
    },
    {
      what: 'the player',
      held: /\/assets\/player-.*\.js/,
      begin: openPlayer,
      sign: status,
      result: () => player(visitor),
    },
    {
      what: 'the strokes of a version',
      held: /\/versions\/2\/waveform/,
      begin: async (page) => {
        await page.goto(studio().web)
        await openPlayer(page)
        await page.getByRole('radio', { name: 'Version 2' }).check({ force: true })
      },
      sign: () => player(visitor).locator('[aria-busy=true]:has(canvas)'),
      result: () => player(visitor).locator('[aria-busy=false]:has(canvas)'),
    },
    {
      what: 'a version',
      held: /\/versions\/1$/,
      begin: async (page) => {
        await page.goto(studio().web)
        await openPlayer(page)
      },
      sign: () => busy(pause()),
      result: () => player(visitor).locator('button[aria-busy=false]').first(),
    },
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

test('a person sees every wait of their account', async () => {
  const ada = await person()
  for (let n = 0; n < 51; n++) await give(ada, 1)
  await ada.post('/api/payments', { amount: 25 })
  await using visitor = await visitAs(browser, studio().web, ada, HELD)
  const more = button('Show more')
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
      begin: goto('/statement'),
      sign: status,
      result: (page) => page.getByRole('region', { name: 'List of payments' }),
    },
    {
      what: 'more of the statement',
      held: /\/api\/credits\/entries.*cursor/,
      begin: async (page) => {
        await more(page).click()
      },
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
    {
      what: 'what closing the account takes',
      held: /\/api\/account\/closing/,
      begin: goto('/your-data'),
      sign: status,
      result: button('Close my account for good'),
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

test('a file that the server has to make is said to come', async () => {
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

test('the end of an account shows that it waits', async () => {
  const ada = await person()
  await using visitor = await visitAs(browser, studio().web, ada, HELD)
  const close = button('Close my account for good')
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

test('the operator sees every wait at the desk', { timeout: LONG_MS }, async () => {
  const bola = await person()
  await give(bola, 10)
  await fulfil(await request(bola, 'la', 'Delivered'))
  const charged = await chargedSong('To be made')
  const refused = await chargedSong('To be given back')
  const [sender, liar] = [await person(), await person()]
  for (const one of [sender, liar])
    await one.post('/api/payments/naira-transfers', {}, { 'cf-ipcountry': 'NG' })
  await using visitor = await visitOperator(browser, HELD)
  const { page } = visitor
  const row = (text: string): Locator => region(visitor).getByRole('listitem').filter({ hasText: text })
  const inRow = (text: string, name: string): Locator => row(text).getByRole('button', { name, exact: true })
  const tab = (name: string): Locator => region(visitor).getByRole('button', { name, exact: true })
  const list = (name: string, address: RegExp): Wait => ({
    what: `the desk: ${name}`,
    held: address,
    begin: () => tab(name).click(),
    sign: () => region(visitor).getByRole('status').filter({ hasText: 'Loading…' }).last(),
    result: () => region(visitor).locator('ul > li').first(),
  })
  await expectSigns(visitor, [
    {
      what: 'the panel',
      held: /\/assets\/operator-.*\.js/,
      begin: goto('/'),
      sign: status,
      result: () => choices(visitor),
    },
    {
      what: 'the songs to be made',
      held: /\/api\/operator\/songs\?status=pending/,
      begin: goto('/'),
      sign: () => busy(choices(visitor)),
      result: () => idle(choices(visitor)),
    },
    list('People', /\/api\/operator\/people/),
    list('Payments', /\/api\/operator\/payments/),
    list('Audit', /\/api\/operator\/audit/),
    {
      what: 'older rows',
      held: /\/api\/operator\/audit.*cursor/,
      begin: () => tab('More').click(),
      sign: () => busy(tab('More')),
      result: () => region(visitor).locator('ul > li').nth(50),
    },
    list('Ready songs', /\/api\/operator\/songs\?status=ready/),
    { ...list('Transfers', /\/api\/operator\/transfers/), begin: goto('/') },
    {
      what: 'a transfer that is confirmed',
      held: /\/transfers\/.*\/confirm/,
      begin: () => inRow(sender.email, 'Confirm').click(),
      sign: () => busy(inRow(sender.email, 'Confirm')),
      result: () => status(page, 'Transfer confirmed.'),
    },
    {
      what: 'a transfer that is rejected',
      held: /\/transfers\/.*\/reject/,
      begin: async () => {
        await row(liar.email).getByLabel('Reason to reject').fill('nothing came')
        await inRow(liar.email, 'Reject').click()
      },
      sign: () => busy(inRow(liar.email, 'Reject')),
      result: () => status(page, 'Transfer rejected.'),
    },
    {
      what: 'a transfer that is recorded',
      held: /\/api\/operator\/transfers$/,
      begin: async () => {
        await region(visitor).getByText('A transfer that nobody announced').click()
        await region(visitor).getByLabel('E-mail').fill(liar.email)
        await tab('Record').click()
      },
      sign: () => busy(tab('Record')),
      result: () => status(page, 'Transfer recorded.'),
    },
    {
      what: 'credits that are adjusted',
      held: /\/api\/operator\/credits$/,
      begin: async () => {
        await tab('People').click()
        await region(visitor).getByLabel('Search people').fill(bola.email)
        await row(bola.email).getByText('Adjust credits').click()
        await row(bola.email).getByLabel('Credits').fill('1')
        await row(bola.email).getByLabel('Reason').fill('for a story')
        await inRow(bola.email, 'Adjust').click()
      },
      sign: () => busy(inRow(bola.email, 'Adjust')),
      result: () => status(page, 'Credits adjusted.'),
    },
    {
      what: 'credits that are given back',
      held: /\/refund$/,
      begin: async () => {
        await choose(visitor, refused)
        await region(visitor).getByText('Give the credits back instead').click()
        await region(visitor).getByLabel('Reason').first().fill('cannot be sung')
        await tab('Give back').click()
      },
      sign: () => busy(tab('Give back')),
      result: () => status(page, 'The credits are back'),
    },
    {
      what: 'an upload',
      held: /\/fulfil$/,
      begin: async () => {
        await choose(visitor, charged)
        for (const n of [1, 2] as const) await input(visitor, n).setInputFiles(wav(`${n}.wav`, 2))
        await upload(visitor).click()
      },
      sign: () => region(visitor).getByRole('progressbar').nth(1),
      result: () => status(page, 'Both versions uploaded successfully'),
    },
    {
      what: 'the end of the unlock',
      held: /\/api\/operator\/lock/,
      begin: () => tab('Lock').click(),
      sign: () => busy(tab('Lock')),
      result: () => tab('Unlock'),
    },
    {
      what: 'the password',
      held: /\/api\/operator\/unlock/,
      begin: async () => {
        await region(visitor).getByLabel('Admin password').fill(studio().operator.password)
        await tab('Unlock').click()
      },
      sign: () => busy(tab('Unlock')),
      result: () => status(page, 'Admin mode enabled.'),
    },
  ])
})

test('the operator sees every wait of the page of operations', async () => {
  await request(await person(), 'la', 'Announced')
  await using visitor = await visitOperator(browser, HELD)
  const { page } = visitor
  await expectSigns(visitor, [
    {
      what: 'the page of operations',
      held: /\/assets\/ops-page-.*\.js/,
      begin: goto('/ops'),
      sign: status,
      result: () => page.getByRole('heading', { name: 'Operations' }),
    },
    {
      what: 'how every part is',
      held: /\/api\/operator\/ops\/live/,
      begin: goto('/ops'),
      sign: status,
      result: () => page.getByRole('region', { name: 'Parts' }).first(),
    },
    {
      what: 'a mail that is sent again',
      held: /\/mails\/.*\/resend/,
      begin: () => button(/^Send again/)(page).click(),
      sign: () => page.locator('button[aria-busy=true]'),
      result: () => status(page, 'The mail goes out again.'),
    },
  ])
})
