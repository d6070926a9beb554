import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { item, visitAs } from './steps.ts'
import { person, request, studio } from './studio.ts'

/** Live updates of several tabs. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

test('a tab that subscribes late shows what happened since it was read', async () => {
  const ada = await person()
  const song = await request(ada, 'la', 'Missed')
  await using visitor = await visitAs(browser, studio().web, ada)
  const late = { ...visitor, page: await visitor.context.newPage() }
  const held = Promise.withResolvers<void>()
  await late.page.route('**/assets/live-updates-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await late.page.goto('/')
  await item(late, 'Missed').waitFor()
  await ada.send('PATCH', `/api/songs/${song.id}`, { title: 'Renamed' })
  await item(visitor, 'Renamed').waitFor()
  held.resolve()
  await item(late, 'Renamed').waitFor()
})
