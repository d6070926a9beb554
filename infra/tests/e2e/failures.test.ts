import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { album, balance, item, message, player, visit, visitAs } from './steps.ts'
import { fulfil, give, operator, person, request, studio } from './studio.ts'

/** A failure in the browser costs one click. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

async function ownerOfReadySong() {
  const owner = await person()
  await give(owner, 10)
  await fulfil(await request(owner, 'la', 'Plays on'))
  return owner
}

test('a dialog that cannot be loaded stops no song, and opens at the next click once it can', async () => {
  await using visitor = await visitAs(browser, studio().web, await ownerOfReadySong(), {
    serviceWorkers: 'block',
  })
  const { page } = visitor
  await item(visitor, 'Plays on').getByRole('button', { name: 'Play Plays on' }).click()
  await player(visitor).getByRole('button', { name: 'Pause' }).waitFor()
  // a missing chunk reloads the page once, for a new build
  await page.evaluate(() => sessionStorage.setItem('prelude-reloaded', String(Date.now())))
  await page.route('**/assets/top-up-dialog-*.js', (route) => route.abort())
  await balance(visitor).click()
  await message(visitor, 'alert', 'Something went wrong.').waitFor()
  await player(visitor).waitFor()
  await page.unroute('**/assets/top-up-dialog-*.js')
  await balance(visitor).click()
  await page.getByRole('dialog', { name: 'Enter Credit Amount' }).waitFor()
  await player(visitor).waitFor({ state: 'attached' })
})

test('a page that cannot be loaded is imported again by "Try again"', async () => {
  await using visitor = await visitAs(browser, studio().web, await person(), { serviceWorkers: 'block' })
  const { page } = visitor
  await page.evaluate(() => sessionStorage.setItem('prelude-reloaded', String(Date.now())))
  await page.route('**/assets/statement-*.js', (route) => route.abort())
  await page.getByRole('banner').getByRole('button', { name: /Ada/ }).click()
  await page.getByRole('menuitem', { name: 'Statement' }).click()
  await page.getByRole('heading', { name: 'The tape got caught' }).waitFor()
  await page.unroute('**/assets/statement-*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Statement' }).waitFor()
})

test('a browser that refuses storage shows the page all the same', async () => {
  await using visitor = await visit(browser, { baseURL: studio().web })
  await visitor.context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, {
        get: () => {
          throw new DOMException('Access is denied', 'SecurityError')
        },
      })
  })
  await visitor.page.goto('/')
  await visitor.page.getByRole('button', { name: 'Try Now' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('a response that is not JSON counts as a lost connection, and is asked for again', async () => {
  await using visitor = await visitAs(browser, studio().web, await person(), { serviceWorkers: 'block' })
  const { page } = visitor
  let captured = 2
  await page.route('**/api/me', (route) =>
    captured-- > 0
      ? route.fulfill({ contentType: 'text/html', body: '<h1>Hotel Wi-Fi</h1>' })
      : route.continue(),
  )
  await page.reload()
  await album(visitor).waitFor()
  expect(captured).toBeLessThan(0)
})

test('a leader that is frozen is replaced within a minute', async () => {
  const owner = await person()
  await give(owner, 10)
  await using visitor = await visit(browser, { baseURL: studio().web })
  const [name = '', ...value] = owner.cookie.split('=')
  await visitor.context.addCookies([{ name, value: value.join('='), url: studio().web }])
  // a tab that holds the lock and does nothing
  const frozen = await visitor.context.newPage()
  await frozen.goto('/api/docs')
  await frozen.evaluate(
    () =>
      new Promise<void>((held) => {
        void navigator.locks.request('prelude-live', () => (held(), new Promise(() => {}))).catch(() => {})
      }),
  )
  await visitor.page.clock.install()
  await visitor.page.goto('/')
  await album(visitor).waitFor()
  const song = await request(owner, 'la', 'Heard by a follower')
  await visitor.page.reload()
  await item(visitor, 'Heard by a follower').waitFor()
  const connects = visitor.page.waitForRequest('**/api/live')
  await visitor.page.clock.runFor(61_000)
  await connects
  await fulfil(song)
  await item(visitor, 'Heard by a follower').getByRole('button', { name: 'Download' }).waitFor()
})

test('errors reach the operator: each once, five per page load, and no second error when a report fails', async () => {
  await using visitor = await visit(browser, { baseURL: studio().web, serviceWorkers: 'block' })
  const { page } = visitor
  const sent: string[] = []
  page.on('request', (one) => {
    if (one.url().endsWith('/api/client-errors'))
      sent.push((one.postDataJSON() as { message: string }).message)
  })
  const fail = (...texts: string[]) =>
    page.evaluate((all) => {
      for (const [i, text] of all.entries())
        if (i % 2 === 0) void Promise.reject(new RangeError(text))
        else
          setTimeout(() => {
            throw new RangeError(text)
          })
    }, texts)
  const id = randomUUID().replaceAll(/\d/g, '')
  await page.goto('/payment-failed?token=secret')
  await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
  await fail(`rejected ${id}`, `thrown ${id} "la la"`)
  await expect.poll(() => sent.length).toBe(2)
  await page.evaluate(() => sessionStorage.setItem('prelude-reloaded', String(Date.now())))
  await page.route('**/assets/not-found-*.js', (route) => route.abort())
  await page.evaluate(() => history.pushState(null, '', '/ada@example.org'))
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')))
  await page.getByRole('heading', { name: 'The tape got caught' }).waitFor()
  await expect.poll(() => sent.length).toBe(3)

  const boss = await operator()
  await visitor.context.clearCookies()
  await using desk = await visitAs(browser, studio().web, boss)
  await desk.page.goto('/ops')
  const table = desk.page.getByRole('group', { name: 'Errors in browsers' })
  const release = /^index-[\w-]+$/
  for (const [message, route] of [
    [`RangeError: rejected ${id}`, '/payment-failed'],
    [`RangeError: thrown ${id} …`, '/payment-failed'],
    [/^TypeError: Failed to fetch dynamically imported module: assets\/not-found-[\w-]+\.js$/, '*'],
  ] as const) {
    const row = table.getByRole('row').filter({ has: desk.page.getByRole('rowheader', { name: message }) })
    await row.getByRole('cell', { name: route, exact: true }).waitFor()
    await row.getByRole('cell', { name: release }).first().waitFor()
  }
  expect((await inspect(desk, 'operations, with errors in browsers')).join('\n')).toBe('')

  await page.route('**/api/client-errors', (route) => route.abort())
  const before = visitor.errors.length
  await fail('a', 'b', 'a', 'b', 'c')
  await expect.poll(() => visitor.errors.slice(before).filter((one) => /RangeError/.test(one)).length).toBe(5)
  expect(visitor.errors.slice(before).filter((one) => !/RangeError|ERR_FAILED/.test(one))).toEqual([])
  await expect.poll(() => [sent.length, new Set(sent).size]).toEqual([5, 5])
})
