import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { album, balance, isFocused, item, message, requestSong, visitAs } from './steps.ts'
import { fulfil, give, operator, person, request, studio } from './studio.ts'

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

const visitHome = (who: Parameters<typeof visitAs>[2]) =>
  visitAs(browser, studio().web, who, { permissions: ['clipboard-read', 'clipboard-write'] })

const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

test('style and lyrics are cut at 35 and 40 code points, and copied completely', async () => {
  const style = `${'🎷'.repeat(35)} and more`
  const lyrics = `${'🎶'.repeat(40)} to the end\nand a second line`
  const ada = await person()
  await request(ada, lyrics, style)
  await request(ada, '🎵'.repeat(40), '🎺'.repeat(35))
  await using visitor = await visitHome(ada)
  const { page } = visitor
  await page.clock.install()
  await page.reload()
  const cut = album(visitor).getByRole('listitem').nth(1)
  await cut.getByText(`${'🎷'.repeat(35)}…`, { exact: true }).waitFor()
  await cut.getByText(`${'🎶'.repeat(40)}…`, { exact: true }).waitFor()
  const whole = album(visitor).getByRole('listitem').nth(0)
  await whole.getByText('🎺'.repeat(35), { exact: true }).waitFor()
  await whole.getByText('🎵'.repeat(40), { exact: true }).waitFor()

  // the clock moves only by fastForward
  await page.clock.pauseAt(Date.now() + 60_000)
  for (const [name, tip, text] of [
    ['Copy style', 'music style copied!', style],
    ['Copy lyrics', 'lyrics copied!', lyrics],
  ] as const) {
    const button = cut.getByRole('button', { name })
    const icon = await button.innerHTML()
    // a screen reader announces what is put into a region that is there before
    const regions = await cut.getByRole('status').elementHandles()
    await button.click()
    await cut.getByText(tip, { exact: true }).waitFor()
    expect(await Promise.all(regions.map((one) => one.textContent()))).toContain(tip)
    expect(await clipboard(page)).toBe(text)
    expect(await button.innerHTML()).not.toBe(icon)
    await page.clock.runFor(1_400)
    expect(await button.innerHTML()).not.toBe(icon)
    expect(await cut.getByText(tip).isVisible()).toBe(true)
    await page.clock.runFor(200)
    await cut.getByText(tip).waitFor({ state: 'detached' })
    expect(await button.innerHTML()).toBe(icon)
  }
  expect(visitor.errors).toEqual([])
})

test('a submit shows its progress, clears the form and puts the song on top', async () => {
  const ada = await person()
  await give(ada, 10)
  await request(ada, 'older', 'Older style')
  await give(ada, 10)
  await using visitor = await visitHome(ada)
  const { page } = visitor
  const held = Promise.withResolvers<void>()
  await page.route('**/api/songs', async (route) => {
    await held.promise
    await route.continue()
  })
  await requestSong(visitor, 'Newer lyrics', 'Newer style')
  await message(visitor, 'status', 'Submitting your demo request...').waitFor()
  const form = page.getByRole('form', { name: 'Request a song' })
  expect(await form.getByRole('button', { name: 'Cooking...' }).isDisabled()).toBe(true)
  // shown before the server has answered, and once afterwards
  await item(visitor, 'Newer style').getByText('on its way…').waitFor()
  expect(await item(visitor, 'Newer style').getByRole('button').count()).toBe(0)
  held.resolve()
  await message(
    visitor,
    'status',
    /^Request submitted\. Request ID: [0-9a-f-]{36}\. We'll notify when ready\.$/,
  ).waitFor()
  await form.getByRole('button', { name: 'Create' }).waitFor()
  expect(await form.getByRole('textbox', { name: 'Lyrics' }).inputValue()).toBe('')
  expect(await form.getByRole('textbox', { name: 'Lyrics' }).getAttribute('rows')).toBe('6')
  await album(visitor).getByRole('listitem').nth(0).getByText('Newer style').waitFor()
  const charged = item(visitor, 'Newer style')
  await charged.getByText("You'll get an email once song is ready.").waitFor()
  expect(await charged.getByRole('button', { name: 'Cooking...' }).isDisabled()).toBe(true)
  expect(await charged.count()).toBe(1)
  await balance(visitor).filter({ hasText: '0.00' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('a submit without lyrics or style, or that fails, shows an error and keeps the text', async () => {
  await using visitor = await visitHome(await person())
  const { page } = visitor
  const lyrics = page.getByRole('textbox', { name: 'Lyrics' })
  const style = page.getByRole('textbox', { name: 'Style' })
  await page.getByRole('button', { name: 'Create' }).click()
  await message(visitor, 'alert', /^Please provide lyrics and style of song\.$/).waitFor()
  expect(await isFocused(lyrics)).toBe(true)
  await lyrics.fill('half')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect.poll(() => isFocused(style)).toBe(true)
  await page.route('**/api/songs', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await requestSong(visitor, 'kept', 'kept too')
  await message(visitor, 'alert', /^Error submitting request\. Try again\.$/).waitFor()
  expect(await lyrics.inputValue()).toBe('kept')
  await album(visitor).getByText('No requests yet.').waitFor()
  expect(await item(visitor, 'kept too').count()).toBe(0)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Create' }).click()
  await item(visitor, 'kept too').waitFor()
})

test('a submit whose answer was lost is sent again under the same idempotency key, also after a reload', async () => {
  const ada = await person()
  await using visitor = await visitHome(ada)
  const { page } = visitor
  await page.route('**/api/songs', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    await route.fetch()
    await route.abort()
  })
  await requestSong(visitor, 'once', 'Once only')
  await message(visitor, 'alert', 'Error submitting request.').waitFor()
  await page.unrouteAll()
  await page.reload()
  await page.getByRole('button', { name: 'Create' }).click()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  const { body } = await ada.get<{ items: object[] }>('/api/songs')
  expect(body.items).toHaveLength(1)
})

test('an item shows every state of its song', async () => {
  const ada = await person()
  await using visitor = await visitHome(ada)
  await album(visitor).getByText('No requests yet. Create your first demo!').waitFor()

  const low = await request(ada, 'la', 'Waiting for credits')
  const waiting = item(visitor, 'Waiting for credits')
  const step = (one: typeof waiting) => one.getByRole('group', { name: 'Progress' }).locator('[aria-current]')
  await expect.poll(() => step(waiting).textContent()).toBe('to pay (needs credits)')
  await waiting.getByText('Low credits').waitFor()
  await waiting.getByRole('button', { name: 'Top Up' }).waitFor()
  expect(await waiting.getByRole('button', { name: 'Cooking...' }).count()).toBe(0)

  await give(ada, 20)
  await waiting.getByRole('button', { name: 'Cooking...' }).waitFor()
  await expect.poll(() => step(waiting).textContent()).toBe('cooking (current)')
  expect(await waiting.getByText('Low credits').count()).toBe(0)

  const refunded = await request(ada, 'la', 'To be refunded')
  const back = item(visitor, 'To be refunded')
  await back.getByRole('button', { name: 'Cooking...' }).waitFor()
  await (await operator()).post(`/api/operator/songs/${refunded.id}/refund`, { reason: 'cannot be sung' })
  await back.getByText('credits refunded').waitFor()
  await expect.poll(() => step(back).textContent()).toBe('refunded (current)')
  expect(await back.getByRole('button', { name: /Top Up|Cooking/ }).count()).toBe(0)

  await fulfil((await ada.get<typeof low>(`/api/songs/${low.id}`)).body)
  await message(visitor, 'status', 'Ready: Waiting for credits').waitFor({ state: 'attached' })
  await expect.poll(() => step(waiting).textContent()).toMatch(/^ready .*\d.*\(current\)$/)
  await waiting.getByRole('button', { name: 'Download' }).click()
  await visitor.page.getByRole('menuitem', { name: 'Version 1' }).waitFor()
  await visitor.page.getByRole('menuitem', { name: 'Version 2' }).waitFor()
  await visitor.page.keyboard.press('Escape')
  await waiting.getByRole('button', { name: 'Sell' }).click()
  const dialog = visitor.page.getByRole('dialog', { name: 'Coming Soon' })
  await dialog.getByText(/marketplace is coming soon/).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(waiting.getByRole('button', { name: 'Sell' }))).toBe(true)

  await fulfil((await ada.get<typeof low>(`/api/songs/${refunded.id}`)).body)
  await back.getByText('gift', { exact: true }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('the album is one list, also where it is long', async () => {
  const ada = await person()
  for (let n = 0; n < 12; n++) await ada.post('/api/songs', { lyrics: 'la', style: `Song ${n}` })
  await using visitor = await visitAs(browser, studio().web, ada)
  await expect.poll(() => album(visitor).getByRole('listitem').count()).toBe(12)
  expect(await album(visitor).getByRole('list').count()).toBe(1)
  const list = visitor.page.getByRole('list', { name: 'My Album' })
  expect(await list.getByRole('listitem').count()).toBe(12)
})

test('only existing versions are offered, and an undecided song offers nothing', async () => {
  const ada = await person()
  const song = await request(ada, 'la', 'One version')
  await request(ada, 'la', 'Being decided')
  await using visitor = await visitHome(ada)
  const { page } = visitor
  await page.route('**/api/live', (route) => route.abort())
  await page.route('**/api/songs?*', async (route) => {
    const response = await route.fetch()
    const page1 = (await response.json()) as { items: object[] }
    const items = page1.items.map((one) =>
      (one as { id: string }).id === song.id
        ? {
            ...one,
            status: 'ready',
            charge: 'gift',
            downloadUrl1: null,
            downloadUrl2: '/api/songs/x/versions/2',
          }
        : { ...one, charge: 'deciding' },
    )
    await route.fulfill({ response, json: { ...page1, items } })
  })
  await page.reload()
  await item(visitor, 'One version').getByRole('button', { name: 'Download' }).click()
  await page.getByRole('menuitem', { name: 'Version 2' }).waitFor()
  expect(await page.getByRole('menuitem').count()).toBe(1)
  const deciding = item(visitor, 'Being decided')
  expect(await deciding.getByRole('button', { name: 'Cooking...' }).isDisabled()).toBe(true)
  expect(await deciding.getByText('email').count()).toBe(0)
  expect(await deciding.getByRole('button', { name: 'Top Up' }).count()).toBe(0)
})

test('the list of the server overrides an older copy of a song that another tab broadcasts; another person’s is ignored', async () => {
  const ada = await person()
  const song = await request(ada, 'la', 'Told by the server')
  await using visitor = await visitHome(ada)
  // when the live stream connects, the page would load the list again, and remove the sign
  await visitor.page.route('**/api/live', () => {})
  await visitor.page.reload()
  await item(visitor, 'Told by the server').waitFor()
  await visitor.page.evaluate((copy) => {
    const channel = new BroadcastChannel('prelude-live')
    const { uid } = copy
    channel.postMessage({ uid, event: 'song', data: { ...copy, style: 'Told by a tab' } })
    channel.postMessage({ uid, event: 'song', data: { ...copy, id: crypto.randomUUID(), style: 'A sign' } })
    const another = { ...copy, id: crypto.randomUUID(), style: 'Of another person' }
    channel.postMessage({ uid: 'another', event: 'song', data: another })
  }, song)
  await item(visitor, 'A sign').waitFor()
  expect(await item(visitor, 'Told by a tab').count()).toBe(0)
  expect(await item(visitor, 'Of another person').count()).toBe(0)
})

test('search and state filter the list, and further pages load on scrolling', async () => {
  const ada = await person()
  for (let n = 1; n <= 65; n++) await ada.post('/api/songs', { lyrics: `line ${n}`, style: `Style ${n}` })
  await using visitor = await visitHome(ada)
  const { page } = visitor
  const items = album(visitor).getByRole('listitem')
  await items.nth(0).getByText('Style 65').waitFor()
  expect(await items.count()).toBeLessThan(65)
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 4_000)
      return items.count()
    })
    .toBe(65)
  await items.nth(64).getByText('Style 1', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Search my album' }).fill('LINE 33')
  await expect.poll(() => items.count()).toBe(1)
  await items.getByText('Style 33').waitFor()
  await message(visitor, 'status', /^1 request shown$/).waitFor({ state: 'attached' })
  await page.getByRole('searchbox').fill('nowhere')
  await album(visitor).getByText('No matching requests.').waitFor()
  await message(visitor, 'status', 'No matching requests.').waitFor()
  await page.getByRole('searchbox').fill('')
  await album(visitor).getByRole('combobox', { name: 'Show' }).selectOption({ label: 'Ready' })
  await expect.poll(() => items.count()).toBe(0)
  expect(visitor.errors).toEqual([])
})

test('a change during the loading of a further page does not cancel it', async () => {
  const ada = await person()
  for (let n = 1; n < 40; n++) await ada.post('/api/songs', { lyrics: 'la', style: `Style ${n}` })
  const song = await request(ada, 'la', 'Newest')
  await using visitor = await visitHome(ada)
  const { page } = visitor
  const items = album(visitor).getByRole('listitem')
  let isAsked = false
  const held = Promise.withResolvers<void>()
  await page.route(
    /[?&]cursor=/,
    async (route) => {
      isAsked = true
      await held.promise
      await route.continue()
    },
    { times: 1 },
  )
  await items.nth(0).getByText('Newest').waitFor()
  // to the end of the loaded page, where the scroll position stays
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 9_000)
      return isAsked
    })
    .toBe(true)
  await fulfil(song)
  await item(visitor, 'Newest').getByRole('button', { name: 'Download' }).waitFor({ state: 'attached' })
  held.resolve()
  await expect.poll(() => items.count()).toBe(40)
})
