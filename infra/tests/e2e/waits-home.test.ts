import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { album, banner, item, player, requestSong, visitAs } from './steps.ts'
import { fulfil, give, operator, person, request, studio, tone } from './studio.ts'
import { busy, button, expectSigns, goto, idle, LONG_MS, status } from './waits.ts'

/** Loading states of the home page: the album, a submit, the player. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

test('every request of the home page shows a loading state', { timeout: LONG_MS }, async () => {
  const ada = await person()
  await give(ada, 20)
  await fulfil(await request(ada, 'la', 'Finished'))
  for (let n = 0; n < 31; n++) await ada.post('/api/songs', { lyrics: 'la', style: 'Another' })
  await using visitor = await visitAs(browser, studio().web, ada)
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
      begin: () => album(visitor).getByRole('listitem').nth(29).scrollIntoViewIfNeeded(),
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

test('every request of a song’s page shows a loading state', { timeout: LONG_MS }, async () => {
  const ada = await person()
  await give(ada, 20)
  const cooking = await request(ada, 'la', 'Cooking')
  const ready = await request(ada, 'la', 'Finished')
  await fulfil(ready)
  await using visitor = await visitAs(browser, studio().web, ada)
  const main = (page: Page): Locator => page.getByRole('main')
  const press = (name: string) => (page: Page) => main(page).getByRole('button', { name }).click()
  const busyButton = (name: string) => (page: Page) => busy(page.getByRole('button', { name }))
  const timeline = (page: Page): Locator => page.getByRole('list', { name: 'Timeline' })
  await expectSigns(visitor, [
    {
      what: 'the song',
      held: /\/api\/songs\/[^/]+$/,
      begin: goto(`/songs/${cooking.id}`),
      sign: status,
      result: timeline,
    },
    {
      what: 'its correction',
      held: /\/api\/songs\/[^/]+$/,
      method: 'PATCH',
      begin: async (page) => {
        await press('Correct the words')(page)
        await page.getByRole('textbox', { name: 'Lyrics' }).fill('la la')
        await press('Save')(page)
      },
      sign: busyButton('Save'),
      result: (page) => status(page, 'Saved.'),
    },
    {
      what: 'its cancellation',
      held: /\/cancel$/,
      begin: async (page) => {
        await press('Cancel request')(page)
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel request' }).click()
      },
      sign: (page) => busy(page.getByRole('dialog').getByRole('button', { name: 'Cancel request' })),
      result: (page) => status(page, 'Request cancelled.'),
    },
    {
      what: 'the strokes of a version',
      held: /\/versions\/1\/waveform/,
      begin: async (page) => {
        await goto(`/songs/${ready.id}`)(page)
        await press('Ask for changes')(page)
      },
      sign: (page) => main(page).locator('[aria-busy=true]:has(canvas)'),
      result: (page) => main(page).locator('[aria-busy=false]:has(canvas)'),
    },
    {
      what: 'a version that plays',
      held: /\/versions\/1$/,
      begin: async (page) => {
        await main(page)
          .getByRole('region', { name: 'Changes' })
          .getByRole('button', { name: 'Play' })
          .click()
      },
      sign: (page) => busy(main(page).getByRole('button', { name: 'Pause' })),
      result: (page) =>
        idle(
          main(page)
            .getByRole('region', { name: 'Changes' })
            .getByRole('button', { name: /Pause|Play/ }),
        ),
    },
    {
      what: 'the changes',
      held: /\/changes$/,
      begin: async (page) => {
        await page.getByRole('textbox', { name: 'Note' }).fill('Slower')
        await press('Send changes')(page)
      },
      sign: busyButton('Send changes'),
      result: (page) => status(page, 'Sent.'),
    },
    {
      what: 'the acceptance',
      held: /\/accept$/,
      begin: async (page) => {
        const form = new FormData()
        form.set('version1', new File([tone(5)], 'again.wav'))
        await (await operator()).send('POST', `/api/operator/songs/${ready.id}/changes`, form)
        await press('Accept')(page)
      },
      sign: busyButton('Accept'),
      result: (page) => status(page, 'Accepted.'),
    },
  ])
})
