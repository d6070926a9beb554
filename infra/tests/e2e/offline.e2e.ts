import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { album, balance, message, WITH_WORKER } from './steps.ts'
import { person, studio } from './studio.ts'

/** The app without a network, without a server, and across two builds. */

const workers = (page: Page): Promise<number> =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)

/** The entries of the service worker's caches of the app's files, once it controls the page. */
async function kept(page: Page): Promise<string[]> {
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
  return page.evaluate(async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith('shell-'))
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })
}

test('opened offline, the app shows that, keeps typed text, and continues once the server answers @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person(), WITH_WORKER)
  const { page, context } = visitor
  const files = await kept(page)
  expect(files).toContain('/')
  expect(files.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([])

  const lyrics = page.getByRole('textbox', { name: 'Lyrics' })
  await lyrics.fill('Carry me over')
  await context.setOffline(true)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'You are offline' }).waitFor()
  expect(await inspect(visitor, 'offline')).toEqual([])
  await page.goto('/statement')
  await page.getByRole('heading', { level: 1, name: 'You are offline' }).waitFor()
  await page.goto('/')
  await page.getByRole('heading', { level: 1, name: 'You are offline' }).waitFor()
  await context.setOffline(false)
  await album(visitor).waitFor()
  await expect(lyrics).toHaveValue('Carry me over')
  await balance(visitor).filter({ hasText: '0.00' }).waitFor()
})

test('online, the page comes from the server, and files of another build are removed @night', async ({
  visit,
}) => {
  const visitor = await visit({ ...WITH_WORKER })
  const { page } = visitor
  await page.goto('/')
  await page.evaluate(async () => {
    const old = await caches.open('shell-of-another-build')
    await old.put('/', new Response('<h1>Old</h1>', { headers: { 'content-type': 'text/html' } }))
  })
  const { cookie } = await person()
  const [name = '', value = ''] = cookie.split('=')
  await visitor.context.addCookies([{ name, value, url: studio().web }])
  await page.reload()
  await album(visitor).waitFor()
  await expect.poll(() => kept(page)).toContain('/')
  await expect.poll(() => page.evaluate(() => caches.has('shell-of-another-build'))).toBe(false)
  await page.evaluate(async () => {
    for (const name of await caches.keys())
      await (
        await caches.open(name)
      ).put('/', new Response('<h1>Old</h1>', { headers: { 'content-type': 'text/html' } }))
  })
  await page.reload()
  await album(visitor).waitFor()
  await expect(page.getByText('Old', { exact: true })).toHaveCount(0)
})

test('a visitor gets no service worker @night', async ({ visit }) => {
  const visitor = await visit(WITH_WORKER)
  await visitor.page.goto('/')
  await visitor.page.getByRole('button', { name: 'Try Now' }).waitFor()
  await visitor.page.waitForLoadState('networkidle')
  expect(await workers(visitor.page)).toBe(0)
  // never cached, or a new build would not be noticed
  const { headers } = await fetch(`${studio().web}/sw.js`)
  expect([headers.get('cache-control'), headers.get('content-type')]).toEqual([
    'no-cache',
    expect.stringContaining('javascript'),
  ])
})

test('a reload while the server does not answer shows that, and continues once the server answers @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.route('**/api/me', (route) => route.fulfill({ status: 503, json: { code: 'unavailable' } }))
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'The server does not respond' }).waitFor()
  const asked = page.waitForRequest('**/api/me')
  await page.getByRole('button', { name: 'Try again' }).click()
  await asked
  await page.unroute('**/api/me')
  await album(visitor).waitFor()
})

test('a tab that was open while a build was replaced offers to load the new one @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await album(visitor).waitFor()
  const offer = page.getByRole('status').filter({ hasText: 'There is a new version of this page.' })
  await expect(offer).toHaveCount(0)
  await page.route('**/api/live', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: 'event: ready\ndata: {"build":"index-newer"}\n\n',
    }),
  )
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await offer.waitFor()
  expect(await inspect(visitor, 'new build')).toEqual([])
  const loaded = page.waitForEvent('load')
  await offer.getByRole('button', { name: 'Load the page again' }).click()
  await loaded
  await page.unroute('**/api/live')
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await album(visitor).waitFor()
  await expect(offer).toHaveCount(0)
})

test('a chunk of a removed build is loaded from the new one, and typed text is kept @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('Carry me over')
  let gone = 0
  await page.route('**/assets/top-up-dialog-*.js', (route) => {
    gone++
    return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
  })
  const read = page.waitForEvent('load')
  await balance(visitor).click()
  await read
  await album(visitor).waitFor()
  await expect(page.getByRole('textbox', { name: 'Lyrics' })).toHaveValue('Carry me over')
  // when the new build does not have it either, the rest of the page stays
  await balance(visitor).click()
  await message(visitor, 'alert', 'Something went wrong.').waitFor()
  await album(visitor).waitFor()
  expect(gone).toBeGreaterThan(1)
})
