import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { album, balance, banner, hold } from './steps.ts'
import { give, newcomer, person } from './studio.ts'

/** The frame of every view: the bar, the messages, the links home. */

const home = (page: Page) => page.getByRole('region', { name: 'My Album' })
const landing = (page: Page) => page.getByRole('button', { name: 'Try Now' })

test('the bar shows initials without a photo, and when the photo does not load', async ({ visitAs }) => {
  const without = await visitAs(await person(newcomer('Ada Obi')))
  await banner(without).getByText('AO', { exact: true }).waitFor()

  const photo = 'https://photos.example.test/gone.jpg'
  const bola = await person({ ...newcomer('Bola Ige'), picture: photo })
  const visitor = await visitAs(bola)
  const { page } = visitor
  const refused = Promise.withResolvers<void>()
  await page.route(photo, async (route) => {
    await refused.promise
    await route.fulfill({ status: 404, body: '' })
  })
  await page.reload({ waitUntil: 'commit' }) // the photo is part of what `load` waits for
  await banner(visitor).getByRole('img', { name: 'Bola Ige' }).waitFor({ state: 'attached' })
  refused.resolve()
  await banner(visitor).getByText('BI', { exact: true }).waitFor()
  await expect(banner(visitor).getByRole('img', { name: 'Bola Ige' })).toHaveCount(0)
})

test('on a narrow screen the bar has the balance with its unit, photo and first name', async ({
  visitAs,
}) => {
  const ada = await person(newcomer('Oluwadamilola Obi'))
  await give(ada, 4999.99)
  const visitor = await visitAs(ada, { viewport: { width: 360, height: 640 } })
  const bar = banner(visitor)
  for (const one of [
    bar.getByRole('button', { name: '4999.99 credits' }),
    bar.getByText('OO', { exact: true }),
    bar.getByRole('button', { name: 'Oluwadamilola' }),
  ]) {
    const box = await one.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360)
  }
  await bar.getByRole('button', { name: '4999.99 credits' }).locator('svg').waitFor()
})

test('the brand links to the landing page with the person in the bar; Try Now and a reload lead home', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  const brand = banner(visitor).getByRole('link', { name: 'Prelude' })
  await brand.click()
  await page.getByRole('heading', { name: /^Find Your Hit Song/ }).waitFor()
  await balance(visitor).waitFor()
  await banner(visitor).getByRole('button', { name: 'Ada' }).waitFor()
  await expect(home(page)).toHaveCount(0)
  await landing(page).click()
  await home(page).waitFor()
  await brand.click()
  await landing(page).waitFor()
  await page.reload()
  await home(page).waitFor()
  await expect(landing(page)).toHaveCount(0)
})

test('a page opens at its top; back and a reload lead to where it was left', async ({ visitAs }) => {
  const ada = await person()
  for (let n = 1; n <= 12; n++) await give(ada, n)
  const visitor = await visitAs(ada, { viewport: { width: 1280, height: 400 } })
  const { page } = visitor
  const top = () => page.evaluate(() => Math.round(scrollY))
  const scrollTo = (y: number) => page.evaluate((to) => window.scrollTo(0, to), y)
  await scrollTo(150)
  await banner(visitor).getByRole('button', { name: 'Ada' }).click()
  await page.getByRole('menuitem', { name: 'Statement' }).click()
  await page
    .getByRole('cell', { name: /12\.00/ })
    .first()
    .waitFor()
  expect(await top()).toBe(0)
  await scrollTo(300)
  // a click by the mouse would scroll to the link first
  await page.getByRole('link', { name: 'Go Home' }).dispatchEvent('click')
  await home(page).waitFor()
  expect(await top()).toBe(0)
  await page.goBack()
  await expect.poll(top).toBe(300)
  await page.reload()
  await expect.poll(top).toBe(300)
  await page.goBack()
  await home(page).waitFor()
  await expect.poll(top).toBe(0)
  await page.goForward()
  await expect.poll(top).toBe(300)
})

test('a link with a modifier key is the browser’s; one to the same page adds nothing to the history @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  const brand = banner(visitor).getByRole('link', { name: 'Prelude' })
  const opens = visitor.context.waitForEvent('page')
  await brand.click({ modifiers: ['ControlOrMeta'] })
  await home(await opens).waitFor()
  await expect(home(page)).toHaveCount(1)
  const entries = await page.evaluate(() => history.length)
  await brand.click()
  await landing(page).waitFor()
  expect(await page.evaluate(() => history.length)).toBe(entries)
})

test('a chosen theme is there before any code of the app, with the colour of the browser’s bars, and in other tabs @night', async ({
  visit,
}) => {
  const visitor = await visit({ colorScheme: 'light' })
  const { page, context } = visitor
  const shown = (of: Page) =>
    of.evaluate(() => ({
      paper: getComputedStyle(document.body).backgroundColor,
      bars: [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')]
        .filter(({ media }) => matchMedia(media).matches)
        .map(({ content }) => content),
    }))
  await page.goto('/')
  await landing(page).waitFor()
  const other = await context.newPage()
  await other.goto('/')
  await landing(other).waitFor()
  expect((await shown(page)).bars).toEqual(['#f5efe3'])
  await banner(visitor).getByRole('button', { name: 'Use dark colours' }).click()
  const dark = { paper: 'rgb(22, 19, 17)', bars: ['#161311'] }
  await expect.poll(() => shown(page)).toEqual(dark)
  await expect.poll(() => shown(other)).toEqual(dark)

  await page.route('**/assets/index-*.js', (route) => route.abort())
  await page.reload({ waitUntil: 'load' })
  expect(await page.locator('#root').innerHTML()).toBe('')
  expect(await shown(page)).toEqual(dark)
})

test('the balance button reads Loading... from first paint until the credits are known', async ({
  visitAs,
}) => {
  const ada = await person()
  await give(ada, 1234.5)
  const visitor = await visitAs(ada)
  const { page } = visitor
  const release = await hold(page, '**/api/me')
  await page.reload()
  await banner(visitor).getByRole('button', { name: 'Loading...' }).waitFor()
  release()
  await banner(visitor).getByRole('button', { name: '1234.50' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })

  await page.route('**/api/me', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), credits: null } })
  })
  await page.reload()
  await album(visitor).waitFor()
  await banner(visitor).getByRole('button', { name: 'Loading...' }).waitFor()
  await expect(page.getByRole('banner').getByText(/\d\.\d\d/)).toHaveCount(0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await banner(visitor).getByRole('button', { name: '1234.50' }).waitFor()
})
