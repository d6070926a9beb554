import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { album, balance, hold, item, message, requestSong } from './steps.ts'
import { fulfil, give, operator, person, request } from './studio.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

test('style and lyrics are cut at 35 and 40 code points, and copied completely', async ({ visitAs }) => {
  const style = `${'🎷'.repeat(35)} and more`
  const lyrics = `${'🎶'.repeat(40)} to the end\nand a second line`
  const ada = await person()
  await request(ada, lyrics, style)
  await request(ada, '🎵'.repeat(40), '🎺'.repeat(35))
  const visitor = await visitAs(ada)
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
    await expect(cut.getByText(tip)).toBeVisible()
    await page.clock.runFor(200)
    await cut.getByText(tip).waitFor({ state: 'detached' })
    expect(await button.innerHTML()).toBe(icon)
  }
  expect(visitor.errors).toEqual([])
})

test('a submit shows its progress, clears the form and puts the song on top', async ({ visitAs }) => {
  const ada = await person()
  await give(ada, 10)
  await request(ada, 'older', 'Older style')
  await give(ada, 10)
  const visitor = await visitAs(ada)
  const { page } = visitor
  const release = await hold(page, '**/api/songs')
  await requestSong(visitor, 'Newer lyrics', 'Newer style')
  await message(visitor, 'status', 'Submitting your demo request...').waitFor()
  const form = page.getByRole('form', { name: 'Request a song' })
  await expect(form.getByRole('button', { name: 'Cooking...' })).toBeDisabled()
  // shown before the server has answered, and once afterwards
  await item(visitor, 'Newer style').getByText('on its way…').waitFor()
  await expect(item(visitor, 'Newer style').getByRole('button')).toHaveCount(0)
  release()
  await message(
    visitor,
    'status',
    /^Request submitted\. Request ID: [0-9a-f-]{36}\. We'll notify when ready\.$/,
  ).waitFor()
  await form.getByRole('button', { name: 'Create' }).waitFor()
  await expect(form.getByRole('textbox', { name: 'Lyrics' })).toHaveValue('')
  await expect(form.getByRole('textbox', { name: 'Lyrics' })).toHaveAttribute('rows', '6')
  await album(visitor).getByRole('listitem').nth(0).getByText('Newer style').waitFor()
  const charged = item(visitor, 'Newer style')
  await charged.getByText("You'll get an email once song is ready.").waitFor()
  await expect(charged.getByRole('button', { name: 'Cooking...' })).toBeDisabled()
  await expect(charged).toHaveCount(1)
  await balance(visitor).filter({ hasText: '0.00' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('a submit without lyrics or style, or that fails, shows an error and keeps the text', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  const lyrics = page.getByRole('textbox', { name: 'Lyrics' })
  const style = page.getByRole('textbox', { name: 'Style' })
  await page.getByRole('button', { name: 'Create' }).click()
  await message(visitor, 'alert', /^Please provide lyrics and style of song\.$/).waitFor()
  await expect(lyrics).toBeFocused()
  await lyrics.fill('half')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(style).toBeFocused()
  await page.route('**/api/songs', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await requestSong(visitor, 'kept', 'kept too')
  await message(visitor, 'alert', /^Error submitting request\. Try again\.$/).waitFor()
  await expect(lyrics).toHaveValue('kept')
  await album(visitor).getByText('No requests yet.').waitFor()
  await expect(item(visitor, 'kept too')).toHaveCount(0)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Create' }).click()
  await item(visitor, 'kept too').waitFor()
})

test('a submit whose answer was lost is sent again under the same idempotency key, also after a reload', async ({
  visitAs,
}) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  const { page } = visitor
  await page.route('**/api/songs', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    await route.fetch()
    await route.abort()
  })
  await requestSong(visitor, 'once', 'Once only')
  await message(visitor, 'alert', 'Error submitting request.').waitFor()
  await page.getByText('the same request is never made or charged twice').waitFor()
  await page.unrouteAll()
  await page.reload()
  await page.getByRole('button', { name: 'Create' }).click()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  const { body } = await ada.get<{ items: object[] }>('/api/songs')
  expect(body.items).toHaveLength(1)
})

test('an item shows every state of its song', async ({ visitAs }) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  await album(visitor).getByText('No requests yet. Create your first demo!').waitFor()

  const low = await request(ada, 'la', 'Waiting for credits')
  const waiting = item(visitor, 'Waiting for credits')
  await waiting.getByText('Low credits').waitFor()
  await waiting.getByRole('button', { name: 'Top Up' }).waitFor()
  await expect(waiting.getByRole('button', { name: 'Cooking...' })).toHaveCount(0)

  await give(ada, 20)
  await waiting.getByRole('button', { name: 'Cooking...' }).waitFor()
  await expect(waiting.getByText('Low credits')).toHaveCount(0)

  const refunded = await request(ada, 'la', 'To be refunded')
  const back = item(visitor, 'To be refunded')
  await back.getByRole('button', { name: 'Cooking...' }).waitFor()
  await (await operator()).post(`/api/operator/songs/${refunded.id}/refund`, { reason: 'cannot be sung' })
  await back.getByText('credits refunded').waitFor()
  await expect(back.getByRole('button', { name: /Top Up|Cooking/ })).toHaveCount(0)
  await back.getByRole('button', { name: 'Ask again' }).waitFor()

  await fulfil((await ada.get<typeof low>(`/api/songs/${low.id}`)).body)
  await message(visitor, 'status', 'Ready: Waiting for credits').waitFor({ state: 'attached' })
  await waiting.getByText(/^Ready .*\d/).waitFor()
  await waiting.getByRole('button', { name: 'Download' }).click()
  await visitor.page.getByRole('menuitem', { name: 'Version 1' }).waitFor()
  await visitor.page.getByRole('menuitem', { name: 'Version 2' }).waitFor()
  await visitor.page.keyboard.press('Escape')
  await waiting.getByRole('button', { name: 'Sell' }).click()
  const dialog = visitor.page.getByRole('dialog', { name: 'Coming Soon' })
  await dialog.getByText(/marketplace is coming soon/).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect(waiting.getByRole('button', { name: 'Sell' })).toBeFocused()

  await fulfil((await ada.get<typeof low>(`/api/songs/${refunded.id}`)).body)
  await back.getByText('a gift').waitFor()
  expect(visitor.errors).toEqual([])
})

test('the album is one list, also where it is long @night', async ({ visitAs }) => {
  const ada = await person()
  for (let n = 0; n < 12; n++) await ada.post('/api/songs', { lyrics: 'la', style: `Song ${n}` })
  const visitor = await visitAs(ada)
  await expect(album(visitor).getByRole('listitem')).toHaveCount(12)
  await expect(album(visitor).getByRole('list')).toHaveCount(1)
  const list = visitor.page.getByRole('list', { name: 'My Album' })
  await expect(list.getByRole('listitem')).toHaveCount(12)
})

test('only existing versions are offered, and an undecided song offers nothing @night', async ({
  visitAs,
}) => {
  const ada = await person()
  const song = await request(ada, 'la', 'One version')
  await request(ada, 'la', 'Being decided')
  const visitor = await visitAs(ada)
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
  await expect(page.getByRole('menuitem')).toHaveCount(1)
  const deciding = item(visitor, 'Being decided')
  await expect(deciding.getByRole('button', { name: 'Cooking...' })).toBeDisabled()
  await expect(deciding.getByText('email')).toHaveCount(0)
  await expect(deciding.getByRole('button', { name: 'Top Up' })).toHaveCount(0)
})

test('the list of the server overrides an older copy of a song that another tab broadcasts; another person’s is ignored', async ({
  visitAs,
}) => {
  const ada = await person()
  const song = await request(ada, 'la', 'Told by the server')
  const visitor = await visitAs(ada)
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
  await expect(item(visitor, 'Told by a tab')).toHaveCount(0)
  await expect(item(visitor, 'Of another person')).toHaveCount(0)
})

test('search and state filter the list, and further pages load on scrolling', async ({ visitAs }) => {
  const ada = await person()
  for (let n = 1; n <= 65; n++) await ada.post('/api/songs', { lyrics: `line ${n}`, style: `Style ${n}` })
  const visitor = await visitAs(ada)
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
  await expect(items).toHaveCount(1)
  await items.getByText('Style 33').waitFor()
  await message(visitor, 'status', /^1 request shown$/).waitFor({ state: 'attached' })
  await page.getByRole('searchbox').fill('nowhere')
  await album(visitor).getByText('No matching requests.').waitFor()
  await message(visitor, 'status', 'No matching requests.').waitFor()
  await page.getByRole('searchbox').fill('')
  await album(visitor).getByRole('combobox', { name: 'Show' }).selectOption({ label: 'Ready' })
  await expect(items).toHaveCount(0)
  expect(visitor.errors).toEqual([])
})

test('a change during the loading of a further page does not cancel it @night', async ({ visitAs }) => {
  const ada = await person()
  for (let n = 1; n < 40; n++) await ada.post('/api/songs', { lyrics: 'la', style: `Style ${n}` })
  const song = await request(ada, 'la', 'Newest')
  const visitor = await visitAs(ada)
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
  await expect(items).toHaveCount(40)
})
