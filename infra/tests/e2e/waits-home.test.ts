import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { album, banner, item, player, requestSong, visitAs } from './steps.ts'
import { fulfil, give, person, request, studio } from './studio.ts'
import { busy, button, expectSigns, goto, HELD, LONG_MS, status } from './waits.ts'

/** Loading states of the home page: the album, a submit, the player. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

test('every request of the home page shows a loading state', { timeout: LONG_MS }, async () => {
  const ada = await person()
  await give(ada, 20)
  await fulfil(await request(ada, 'la', 'Finished'))
  for (let n = 0; n < 31; n++) await ada.post('/api/songs', { lyrics: 'la', style: 'Another' })
  await using visitor = await visitAs(browser, studio().web, ada, HELD)
  const busyList = (): Locator => album(visitor).locator('[aria-busy=true]')
  const search = (page: Page): Locator => page.getByRole('searchbox', { name: 'Search my album' })
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
      result: () => album(visitor).getByText('No matching requests.'),
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
  ])
})
