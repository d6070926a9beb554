import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { listen } from './steps.ts'
import { person, studio } from './studio.ts'

const WORDS = ['SaveStudioMoney', 'SaveStudioTime']

/** The hashtag words that are visible now. */
const visibleWords = (page: Page): Promise<(string | undefined)[]> =>
  page
    .getByText(new RegExp(WORDS.join('|')))
    .evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility({ visibilityProperty: true }))
        .map((one) => one.textContent.replace('#', '')),
    )

for (const reducedMotion of ['no-preference', 'reduce'] as const)
  test(`exactly one of the two hashtag words is visible, and they alternate every two seconds (motion: ${reducedMotion})`, async ({
    visit,
  }) => {
    const visitor = await visit({ reducedMotion })
    const { page } = visitor
    await page.clock.install()
    await page.goto('/')
    await page.getByText(WORDS[0]!).waitFor()
    await page.clock.pauseAt(Date.now() + 60_000)
    let before = await visibleWords(page)
    for (let turn = 0; turn < 3; turn++) {
      const changes: number[] = []
      for (let tenth = 1; tenth <= 20; tenth++) {
        await page.clock.runFor(100)
        const now = await visibleWords(page)
        expect(now).toHaveLength(1)
        if (now[0] !== before[0]) changes.push(tenth)
        before = now
      }
      expect(changes).toHaveLength(1)
    }
    const fades = await page
      .getByText(before[0]!)
      .evaluate((word) => getComputedStyle(word).animationDuration.split(',').map(Number.parseFloat))
    expect(Math.max(...fades)).toBeLessThan(reducedMotion === 'reduce' ? 0.001 : 0.5)
  })

test('a visitor sees the promise and two artists with lyrics, a style and two samples each', async ({
  visit,
}) => {
  const visitor = await visit()
  const { page } = visitor
  await page.goto('/')
  await page
    .getByRole('heading', { level: 1, name: 'Find Your Hit Song Before You Hit The Studio!' })
    .waitFor()
  const samples = page.getByRole('button', { name: /^Play sample [AB] of / })
  const names = await samples.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))
  const artists = [...new Set(names.map((name) => name.replace(/^Play sample . of /, '')))]
  expect(artists).toHaveLength(2)
  expect(names).toEqual(
    artists.flatMap((artist) => ['A', 'B'].map((side) => `Play sample ${side} of ${artist}`)),
  )
  for (const artist of artists) {
    const card = page.getByRole('article').filter({ has: page.getByRole('heading', { name: artist }) })
    await expect(card.getByRole('paragraph')).toHaveCount(2)
  }
  await page.getByText('may be used commercially').waitFor()
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Sign in with / })
    .waitFor()
  await page.getByRole('banner').getByRole('link', { name: 'Prelude' }).waitFor()
  await expect(page.getByRole('region', { name: /Operator|My Album|Player/ })).toHaveCount(0)
  expect(visitor.errors).toEqual([])
})

test('samples are marked as English in every language of the app @night', async ({ visit }) => {
  const visitor = await visit({ locale: 'fr-FR' })
  const { page } = visitor
  await page.goto('/')
  await page.getByRole('heading', { name: 'Temi Ade' }).waitFor()
  for (const text of [/^Afro-fusion · 96 bpm/, /^“Lagos light on the water/, 'kalimba, log drum, 96 bpm'])
    expect(await page.getByText(text).evaluate((one) => one.closest('[lang]')?.getAttribute('lang'))).toBe(
      'en',
    )
})

test('one sample plays at a time: a second one, another tab, and a second press stop it', async ({
  visit,
}) => {
  const visitor = await visit()
  const playing = await listen(visitor)
  const { page, context } = visitor
  await page.goto('/')
  const samples = page.getByRole('button', { name: /^Play sample/ })
  const [first, third] = [samples.first(), samples.nth(2)]
  await first.click()
  await expect.poll(() => playing(page)).toHaveLength(1)
  const [before] = await playing(page)
  await third.click()
  await expect
    .poll(async () => (await playing(page)).map(({ path }) => path === before!.path))
    .toEqual([false])
  await expect(first).toHaveAttribute('aria-pressed', 'false')
  await expect(third).toHaveAttribute('aria-pressed', 'true')

  const other = await context.newPage()
  await other.goto('/')
  await other.getByRole('button', { name: 'Play sample B of' }).first().click()
  await expect.poll(() => playing(other)).toHaveLength(1)
  await expect.poll(() => playing(page)).toEqual([])
  await page.locator('[aria-pressed=true]').waitFor({ state: 'detached' })

  await other.getByRole('button', { name: 'Play sample B of' }).first().click()
  await expect.poll(() => playing(other)).toEqual([])
  expect(visitor.errors).toEqual([])
})

test('Try Now opens the provider’s sign-in', async ({ visit }) => {
  const visitor = await visit()
  await visitor.page.goto('/')
  const popup = visitor.page.waitForEvent('popup')
  await visitor.page.getByRole('button', { name: 'Try Now' }).click()
  await (await popup).getByRole('button', { name: 'Continue' }).waitFor()
})

test('the landing page loads at most 110 kB of gzipped scripts, all compressed, nothing from other origins, and reports how fast it was', async ({
  visit,
}) => {
  const visitor = await visit()
  const { page } = visitor
  const scripts: Promise<number>[] = []
  const elsewhere: string[] = []
  const plain: string[] = []
  page.on('response', (response) => {
    const url = response.url()
    if (!url.startsWith(studio().web)) elsewhere.push(url)
    if (response.request().resourceType() !== 'script') return
    scripts.push(response.body().then((body) => gzipSync(body).length))
    if (!/br|gzip|zstd/.test(response.headers()['content-encoding'] ?? '')) plain.push(url)
  })
  await page.goto(studio().web, { waitUntil: 'networkidle' })
  const sizes = await Promise.all(scripts)
  expect(sizes.length).toBeGreaterThan(0)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(110_000)
  expect({ elsewhere, plain }).toEqual({ elsewhere: [], plain: [] })
  const reporting = page.waitForRequest('**/api/web-vitals')
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  const report = await reporting
  expect(report.headers()).not.toHaveProperty('cookie')
  expect(report.postDataJSON()).toMatchObject({
    page: '/',
    lcpMs: expect.any(Number),
    cls: expect.any(Number),
  })
  expect((await report.response())?.status()).toBe(204)
})

test('every page has a title of its own', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await expect.poll(() => page.title()).toBe('Your songs · Prelude')
  await page.getByRole('banner').getByRole('link', { name: 'Prelude' }).click()
  await expect.poll(() => page.title()).toBe('Prelude: find your hit song before you hit the studio')
  for (const [path, title] of [
    ['/payment-success', 'Payment Successful · Prelude'],
    ['/payment-failed', 'Payment Failed · Prelude'],
    ['/statement', 'Statement · Prelude'],
    ['/your-data', 'Your data · Prelude'],
    ['/nowhere', 'Page not found · Prelude'],
  ] as const) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.title()).toBe(title)
  }
})

test('the fonts of the first paint are preloaded, once @night', async ({ visit }) => {
  const visitor = await visit()
  const { page } = visitor
  const fonts: string[] = []
  page.on('request', (one) => {
    if (one.resourceType() === 'font') fonts.push(new URL(one.url()).pathname)
  })
  await page.goto(studio().web, { waitUntil: 'load' })
  await page.getByRole('button', { name: 'Try Now' }).waitFor()
  const preloaded = await page
    .locator('link[rel=preload][as=font]')
    .evaluateAll((all) => all.map((one) => new URL((one as HTMLLinkElement).href).pathname))
  expect(preloaded).toHaveLength(2)
  expect(fonts.slice(0, 2).toSorted()).toEqual(preloaded.toSorted())
  expect(new Set(fonts).size).toBe(fonts.length)
})

test('the page can be installed: a manifest with icons of their named sizes, and an image for link previews @night', async ({
  visit,
}) => {
  const visitor = await visit()
  const { page } = visitor
  await page.goto('/')
  const session = await page.context().newCDPSession(page)
  const found = await session.send('Page.getAppManifest')
  expect(found.errors).toEqual([])
  const { name, icons } = JSON.parse(found.data ?? '{}') as {
    name: string
    icons: { src: string; sizes: string }[]
  }
  expect(name).toBe('Prelude')
  const touch = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  const social = await page.locator('meta[property="og:image"]').getAttribute('content')
  const sizes = await page.evaluate(
    (sources) =>
      Promise.all(
        sources.map(async (source) => {
          const image = new Image()
          image.src = source
          await image.decode()
          return `${image.naturalWidth}x${image.naturalHeight}`
        }),
      ),
    [...icons.filter(({ sizes }) => sizes !== 'any').map(({ src }) => src), touch ?? '', social ?? ''],
  )
  expect(sizes).toEqual([
    ...icons.map(({ sizes }) => sizes).filter((size) => size !== 'any'),
    '180x180',
    '1200x630',
  ])
  expect(visitor.errors).toEqual([])
})

test('an unknown address shows a not-found page with a link home', async ({ visit }) => {
  const visitor = await visit()
  const { page } = visitor
  await page.goto('/no/such/page')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Go Home' }).click()
  await page.getByRole('button', { name: 'Try Now' }).waitFor()
  expect(visitor.errors).toEqual([])
})
