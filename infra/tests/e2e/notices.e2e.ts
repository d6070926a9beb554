import { expect, test } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { album, banner, message, type Visit, WITH_WORKER } from './steps.ts'
import { fulfil, give, person, request } from './studio.ts'

/** The bell of the top bar, and what a person is written to about. */

const bell = (visitor: Visit) => banner(visitor).getByRole('button', { name: /^Notices( \d)?$/ })

test('the bell counts what is new, in every tab; each entry opens its song; all are marked as read', async ({
  visitAs,
}) => {
  const ada = await person()
  const visitor = await visitAs(ada, { viewport: { width: 360, height: 740 } })
  const { page, context } = visitor
  const other = { ...visitor, page: await context.newPage() }
  await other.page.goto('/')
  await album(other).waitFor()
  const panel = page.getByRole('region', { name: 'Notices' })
  await bell(visitor).click()
  await panel.getByText('Nothing yet.').waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await expect(bell(visitor)).toBeFocused()

  await give(ada, 10)
  const song = await request(ada, 'la la', 'slow folk')
  await fulfil(song)
  for (const tab of [visitor, other]) await bell(tab).filter({ hasText: '1' }).waitFor()
  await page.keyboard.press('Enter')
  const entry = panel.getByRole('link', { name: /Your song is ready/ })
  await entry.filter({ hasText: 'slow folk' }).waitFor()
  expect(await inspect(visitor, 'notices')).toEqual([])
  await page.goto('/statement') // which has no list of songs
  await bell(visitor).click()
  await entry.filter({ hasText: 'slow folk' }).waitFor()
  await panel.getByRole('button', { name: 'Mark all as read' }).click()
  for (const tab of [visitor, other]) await bell(tab).filter({ hasNotText: /\d/ }).waitFor()
  await page.reload()
  await bell(visitor).filter({ hasNotText: /\d/ }).click()
  await entry.click()
  await page.waitForURL(`**/songs/${song.id}`)
  await panel.waitFor({ state: 'detached' })
})

test('preferences are saved one by one; receipts stay on; pushes ask the browser on a click and are shown @night', async ({
  visitAs,
}) => {
  const ada = await person()
  const visitor = await visitAs(ada, WITH_WORKER)
  const { page, context } = visitor
  // the browsers of tests have no push service
  await page.addInitScript(() => {
    const point = `B${'A'.repeat(86)}`
    const subscription = {
      toJSON: () => ({ endpoint: 'https://push.example/a', keys: { p256dh: point, auth: 'A'.repeat(22) } }),
      unsubscribe: async () => true,
    }
    let current: object | null = null
    Object.assign(PushManager.prototype, {
      subscribe: async () => (current = subscription),
      getSubscription: async () => current,
    })
  })
  await banner(visitor).getByRole('button', { name: 'Ada' }).click()
  await page.getByRole('menuitem', { name: 'Preferences' }).click()
  await page.reload()
  const choice = (name: RegExp) => page.getByRole('checkbox', { name })
  const late = choice(/a song is late/)
  await late.waitFor()
  expect(await inspect(visitor, 'preferences')).toEqual([])
  await expect(choice(/credits come back/)).toBeDisabled()
  await late.uncheck()
  const saved = async () => (await ada.get('/api/preferences')).body
  const mail = { ready: true, charged: true, late: false, receipts: true }
  await expect.poll(saved).toEqual({ mail, push: false, language: null })
  // another tab shows what was changed, without a reload
  const other = await context.newPage()
  await other.goto(page.url())
  const charged = (tab: typeof page) => tab.getByRole('checkbox', { name: /waited for credits/ })
  await charged(other).waitFor()
  await charged(page).uncheck()
  await expect(charged(other)).not.toBeChecked()
  await charged(other).check()
  await expect(charged(page)).toBeChecked()
  await other.close()

  const push = choice(/Notify me/)
  await context.clearPermissions()
  await push.click()
  await message(visitor, 'alert', /does not allow notifications/).waitFor()
  expect(await saved()).toEqual({ mail, push: false, language: null })
  await context.grantPermissions(['notifications'])
  await push.check()
  await expect.poll(saved).toEqual({ mail, push: true, language: null })
  await push.uncheck()
  await expect.poll(saved).toEqual({ mail, push: false, language: null })
  // mails are in the language that is chosen in the app
  await page.getByRole('button', { name: 'Français' }).click()
  await expect.poll(saved).toEqual({ mail, push: false, language: 'fr' })
})
