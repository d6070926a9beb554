import type { BrowserContext, Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { album, balance, banner, hold, identify, message, unlock } from './steps.ts'
import { endSession, give, newcomer, person, request, studio } from './studio.ts'

const signInButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Sign in with / })
const home = (page: Page) => page.getByRole('region', { name: 'My Album' })
const landing = (page: Page) => page.getByRole('button', { name: 'Try Now' })

async function openPopup(page: Page): Promise<Page> {
  const popup = page.waitForEvent('popup')
  await signInButton(page).click()
  return popup
}

async function logOut(page: Page, firstName: string): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: firstName }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
}

async function tabs(context: BrowserContext, page: Page): Promise<readonly [Page, Page]> {
  const other = await context.newPage()
  await other.goto('/')
  return [page, other]
}

test('a popup signs in and closes; the bar shows balance, photo and first name; Logout returns to the landing page', async ({
  visit,
}) => {
  const visitor = await visit()
  const { page } = visitor
  await page.route('https://photos.example.test/*', (route) =>
    route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    }),
  )
  await page.goto('/')
  const popup = await openPopup(page)
  await popup.locator('input[name=picture]').fill('https://photos.example.test/ada.svg')
  const closed = popup.waitForEvent('close')
  await identify(popup, newcomer('Adaeze Obi'))
  await closed
  await home(page).waitFor()
  await banner(visitor).getByRole('button', { name: '0.00' }).waitFor()
  await banner(visitor).getByRole('img').waitFor()
  await expect(signInButton(page)).toHaveCount(0)
  await logOut(page, 'Adaeze')
  await landing(page).waitFor()
  await signInButton(page).waitFor()
  await expect(balance(visitor)).toHaveCount(0)
  expect(visitor.errors).toEqual([])
})

test('a failed sign-out shows an error and can be tried again @night', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.route('**/api/auth/logout', (route) => route.abort(), { times: 1 })
  await logOut(page, 'Ada')
  await message(visitor, 'alert', 'Signing out did not work. Please try again.').waitFor()
  await home(page).waitFor()
  await logOut(page, 'Ada')
  await landing(page).waitFor()
})

test('a sign-out leaves nothing behind and surprises no tab, also when the live stream tells of it before its answer', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const [page, other] = await tabs(visitor.context, visitor.page)
  await home(other).waitFor()
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('A secret')
  const kept = () =>
    page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('prelude-draft')))
  await expect.poll(kept).toHaveLength(1)
  const answered = Promise.withResolvers<void>()
  await page.route('**/api/auth/logout', async (route) => {
    const response = await route.fetch()
    await answered.promise
    await route.fulfill({ response })
  })
  await logOut(page, 'Ada')
  for (const tab of [page, other]) await signInButton(tab).waitFor()
  expect(await kept()).toEqual([])
  answered.resolve()
  for (const tab of [page, other]) await expect(tab.getByRole('alert')).toHaveCount(0)
})

test('when popups are blocked, sign-in redirects to the provider and back', async ({ visit }) => {
  const visitor = await visit()
  const { page } = visitor
  await page.addInitScript(() => {
    window.open = () => null
  })
  await page.goto('/')
  await landing(page).click()
  await page.locator('input[name=email]').waitFor()
  await identify(page, newcomer())
  await home(page).waitFor()
  expect(new URL(page.url()).pathname).toBe('/')
})

test('every page that needs a person offers a visitor to sign in, and is there afterwards @night', async ({
  visit,
}) => {
  const ada = await person()
  const { id } = await request(ada, 'la', 'A deep link')
  const boss = { email: studio().operator.email, name: 'The Operator' }
  const within = (name: string) => (page: Page) => page.getByRole('region', { name })
  const password = (page: Page) => page.getByLabel('Admin password')
  const pages: [path: string, who: { email: string; name: string }, shown: (page: Page) => Locator][] = [
    ['/statement', ada, within('Statement')],
    ['/your-data', ada, within('Your data')],
    ['/preferences', ada, within('Preferences')],
    ['/sessions', ada, within('Your sessions')],
    [
      '/payment-success?session_id=cs_x',
      ada,
      (page) => page.getByRole('status').getByText('Payment session not found.'),
    ],
    [`/songs/${id}`, ada, (page) => page.getByRole('heading', { level: 1, name: 'A deep link' })],
    [`/operator?tab=late&song=${id}`, boss, password],
    ['/ops', boss, password],
  ]
  for (const [path, who, shown] of pages) {
    const visitor = await visit()
    const { page } = visitor
    // the way that leaves the page: with a popup it stays
    await page.addInitScript(() => {
      window.open = () => null
    })
    await page.goto(studio().web + path)
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
    await page.locator('input[name=email]').waitFor()
    await identify(page, who)
    await shown(page).waitFor()
    expect(page.url()).toBe(studio().web + path)
  }
})

test('a page that needs a person says nothing about signing in until it is known who is there @night', async ({
  visit,
}) => {
  const visitor = await visit()
  const { page } = visitor
  await page.goto('/statement')
  const offer = page.getByText('Please sign in first.')
  await offer.waitFor()
  const release = await hold(page, '**/api/me')
  await page.reload()
  await message(visitor, 'status', 'Loading…').waitFor()
  await expect(offer).toHaveCount(0)
  release()
  await offer.waitFor()
})

test('a cancelled sign-in closes the popup, and only the page that opened it shows a message @night', async ({
  visit,
}) => {
  const visitor = await visit()
  await visitor.page.goto('/')
  const [, other] = await tabs(visitor.context, visitor.page)
  await landing(other).waitFor()
  const messages = await other.evaluateHandle(() => {
    const all: unknown[] = []
    new BroadcastChannel('prelude-session').addEventListener('message', ({ data }) => all.push(data))
    return all
  })
  const popup = await openPopup(visitor.page)
  const closed = popup.waitForEvent('close')
  await popup.getByRole('link', { name: 'Cancel' }).click()
  await message(visitor, 'alert', 'Signing in did not work. Please try again.').waitFor()
  await closed
  await signInButton(visitor.page).waitFor()
  await expect.poll(() => messages.jsonValue()).toMatchObject([{ type: 'sign-in-failed' }])
  await expect(other.getByRole('alert')).toHaveCount(0)
})

test('a refused sign-in without a popup returns with its sentence and a clean URL @night', async ({
  visit,
}) => {
  const visitor = await visit()
  await visitor.page.goto('/?signin=email_not_verified')
  await message(visitor, 'alert', 'Your account provider does not confirm your e-mail address.').waitFor()
  expect(visitor.page.url()).toBe(`${studio().web}/`)
})

test('when a session ends on the server, all tabs show the landing page', async ({ visitAs }) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  const [one, two] = await tabs(visitor.context, visitor.page)
  await home(two).waitFor()
  await endSession(ada)
  await landing(one).waitFor()
  await landing(two).waitFor()
})

for (const how of ['that the page notices at once', 'that the page does not notice'] as const)
  test(`an end of the session ${how} keeps all typed text @night`, async ({ visitAs }) => {
    const ada = await person()
    const visitor = await visitAs(ada)
    const { page } = visitor
    if (how === 'that the page does not notice') {
      // a live stream that breaks off would make the page check its session
      await page.route('**/api/live', () => {})
      await page.reload()
    }
    const lyrics = page.getByRole('textbox', { name: 'Lyrics' })
    await lyrics.fill('Every word\nof this song 🎶')
    await page.getByRole('textbox', { name: 'Style' }).fill('Folk')
    await endSession(ada)
    if (how === 'that the page does not notice') {
      await page.getByRole('button', { name: 'Create' }).click()
      await message(visitor, 'alert', 'Please sign in first.').waitFor()
    }
    await landing(page).waitFor()
    const popup = await openPopup(page)
    await identify(popup, ada)
    await home(page).waitFor()
    await expect(lyrics).toHaveValue('Every word\nof this song 🎶')
    await expect(page.getByRole('textbox', { name: 'Style' })).toHaveValue('Folk')
  })

test('another person in the same browser does not see text that the last one typed', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('a secret')
  await logOut(page, 'Ada')
  await landing(page).waitFor()
  const popup = await openPopup(page)
  await identify(popup, newcomer('Bola Ige'))
  await home(page).waitFor()
  await expect(page.getByRole('textbox', { name: 'Lyrics' })).toHaveValue('')
})

test('the operator unlocks with a new session id, and the page and other tabs go on with it', async ({
  visitAs,
}) => {
  const { email, password } = studio().operator
  const visitor = await visitAs(await person({ email, name: 'The Operator' }))
  const [page, other] = await tabs(visitor.context, visitor.page)
  await home(other).waitFor()
  const cookie = async () => (await visitor.context.cookies()).find(({ name }) => name === 'session')?.value
  const before = await cookie()
  await unlock(visitor, password)
  await page.getByRole('combobox', { name: 'Song' }).waitFor()
  expect(await cookie()).not.toBe(before)
  const ada = await person()
  await request(ada, 'la', 'Seen by the operator')
  for (const tab of [page, other]) {
    await tab.getByRole('option', { name: /Seen by the operator/ }).waitFor({ state: 'attached' })
    await expect(tab.getByRole('alert')).toHaveCount(0)
  }
  expect(visitor.errors).toEqual([])
})

test('a live stream without data for a minute is closed and opened again @night', async ({ visitAs }) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  const { page } = visitor
  // a late stream of the previous page is not counted
  await page.goto('about:blank')
  let streams = 0
  page.on('request', (one) => void (streams += one.url().endsWith('/api/live') ? 1 : 0))
  await page.clock.install()
  await page.goto('/')
  await album(visitor).waitFor()
  await expect.poll(() => streams).toBe(1)
  await page.clock.fastForward(45_000)
  await give(ada, 1)
  await banner(visitor).getByRole('button', { name: '1.00' }).waitFor()
  await page.clock.fastForward(45_000)
  await give(ada, 1)
  await banner(visitor).getByRole('button', { name: '2.00' }).waitFor()
  expect(streams).toBe(1)
  await page.clock.fastForward(61_000)
  await expect.poll(() => streams).toBe(2)
})
