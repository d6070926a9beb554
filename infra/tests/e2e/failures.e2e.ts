import { randomUUID } from 'node:crypto'
import { expect, test } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { album, balance, banner, item, message, player } from './steps.ts'
import { fulfil, give, operator, person, request, studio } from './studio.ts'

/** A failure in the browser costs one click. */

async function ownerOfReadySong() {
  const owner = await person()
  await give(owner, 10)
  await fulfil(await request(owner, 'la', 'Plays on'))
  return owner
}

test('a dialog that cannot be loaded stops no song, and opens at the next click once it can @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await ownerOfReadySong())
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

test('a page that cannot be loaded is imported again by "Try again" @night', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
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

for (const chunk of ['user-controls', 'live-updates'] as const)
  test(`what surrounds the pages and cannot be loaded (${chunk}) is imported again by "Try again" @night`, async ({
    visitAs,
  }) => {
    const ada = await person()
    const visitor = await visitAs(ada)
    const { page } = visitor
    await page.evaluate(() => sessionStorage.setItem('prelude-reloaded', String(Date.now())))
    await page.route(`**/assets/${chunk}-*.js`, (route) => route.abort())
    await page.reload()
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await album(visitor).waitFor()
    await page.unroute(`**/assets/${chunk}-*.js`)
    await again.click()
    await banner(visitor).getByRole('button', { name: 'Ada' }).waitFor()
    await again.waitFor({ state: 'detached' })
    const connects = page.waitForResponse('**/api/live')
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await connects
    await give(ada, 7)
    await banner(visitor).getByRole('button', { name: '7.00' }).waitFor()
  })

for (const path of ['/', '/s/AAAAAAAAAAAAAAAAAAAAAA'] as const)
  test(`when what surrounds the pages breaks (${path}), the page says so, and loads again at a click @night`, async ({
    visit,
  }) => {
    const visitor = await visit()
    const { page } = visitor
    // without its texts the footer throws
    await page.route('**/assets/en-*.js', async (route) => {
      const texts = await (await route.fetch()).text()
      await route.fulfill({ contentType: 'text/javascript', body: texts.replace('footer:{', 'missing:{') })
    })
    await page.goto(path)
    await page.getByRole('heading', { name: 'The tape got caught' }).waitFor()
    await expect(page.getByRole('contentinfo')).toHaveCount(0)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Load the page again' }).click()
    await page.getByRole('contentinfo').waitFor()
  })

test('events that cannot be applied are reported, and end no stream; one that ends at once is opened ever more slowly @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.goto('about:blank') // the page that was open could receive these events too
  const reports: string[] = []
  page.on('request', (one) => {
    if (one.url().endsWith('/api/client-errors'))
      reports.push((one.postDataJSON() as { message: string }).message)
  })
  const credits = { balance: 77, version: Number.MAX_SAFE_INTEGER }
  const events = [
    'ready\ndata: {}',
    'song\ndata: null',
    'song\ndata: {',
    `credits\ndata: ${JSON.stringify(credits)}`,
  ]
  // what is read instead never comes
  await page.route('**/api/credits', () => {})
  let streams = 0
  await page.route('**/api/live', (route) => {
    streams++
    return route.fulfill({
      contentType: 'text/event-stream',
      body: events.map((one) => `event: ${one}\n\n`).join(''),
    })
  })
  await page.clock.install()
  await page.goto('/')
  await banner(visitor).getByRole('button', { name: '77.00' }).waitFor()
  await expect.poll(() => reports.map((one) => one.split(':', 1)[0])).toEqual(['TypeError', 'SyntaxError'])
  streams = 0
  for (let step = 0; step < 60; step++) await page.clock.runFor(500)
  expect(streams).toBeGreaterThan(1)
  expect(streams).toBeLessThan(16)
})

test('a browser that refuses storage shows the page all the same @night', async ({ visit }) => {
  const visitor = await visit()
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

test('a response that is not JSON counts as a lost connection, and is asked for again @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
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

test('a leader that is frozen is replaced within a minute @night', async ({ visit }) => {
  const owner = await person()
  await give(owner, 10)
  const visitor = await visit()
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

test('errors reach the operator: each once, five per page load, and no second error when a report fails @night', async ({
  visit,
  visitAs,
}) => {
  const visitor = await visit()
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
  const desk = await visitAs(boss)
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
