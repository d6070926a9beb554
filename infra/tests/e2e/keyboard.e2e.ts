import type { Locator, Page } from '@playwright/test'
import { unseenFocus } from './contrast.ts'
import { expect, test } from './fixtures.ts'
import {
  choices,
  delivery,
  input,
  openDesk,
  openSong,
  paidSong,
  question,
  region,
  requestRow,
  requests,
  songNow,
  upload,
  uploadDone,
  wav,
} from './operator-steps.ts'
import { album, balance, banner, item, message, player, type Visit, WITH_MOTION } from './steps.ts'
import { give, newcomer, person, request, studio } from './studio.ts'

/** The app by keyboard only. */

const MOST_STOPS = 80
const PHONE = { width: 360, height: 740 }

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((one) => one === document.activeElement).catch(() => false)

/** Presses Tab until the target has the focus. At each stop on the way the focus is on the screen, not covered, and marked. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor()
  for (let stops = 0; !(await isFocused(target)); stops++) {
    if (stops === MOST_STOPS) throw new Error(`${String(target)} is not reached with ${key}`)
    await page.keyboard.press(key)
    await expect.poll(() => unseenFocus(page)).toBeNull()
  }
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

/** Expects the focus inside `region`: it did not fall back to the start of the page. */
async function expectFocusIn(region: Locator): Promise<void> {
  await expect.poll(() => region.evaluate((one) => one.contains(document.activeElement))).toBe(true)
}

test('from the landing page to the finished song by keyboard only, light for the person and dark for the operator', async ({
  visit,
  visitAs,
}) => {
  const visitor = await visit({ colorScheme: 'light' })
  const { page } = visitor
  const ada = newcomer()
  await page.goto('/')
  const popupOpens = page.waitForEvent('popup')
  await press(page, page.getByRole('button', { name: 'Try Now' }))
  const popup = await popupOpens
  const name = popup.locator('input[name=name]')
  await name.waitFor()
  const email = popup.locator('input[name=email]')
  while (!(await isFocused(email))) await popup.keyboard.press('Tab')
  await popup.keyboard.type(ada.email)
  while (!(await isFocused(name))) await popup.keyboard.press('Tab')
  await popup.keyboard.type(ada.name)
  await popup.keyboard.press('Enter')

  await album(visitor).waitFor()
  await expectFocusIn(page.getByRole('main'))
  await tabTo(page, page.getByRole('textbox', { name: 'Lyrics' }))
  await page.keyboard.type('Every word\nby hand')
  await tabTo(page, page.getByRole('textbox', { name: 'Style' }))
  await page.keyboard.type('Typed')
  const create = page.getByRole('button', { name: 'Create' })
  await press(page, create)
  await message(visitor, 'status', /^Request submitted\. Request ID: /).waitFor()
  await expect(create).toBeFocused()

  const dialog = page.getByRole('dialog', { name: 'Enter Credit Amount' })
  await press(page, item(visitor, 'Typed').getByRole('button', { name: 'Top Up' }))
  await dialog.waitFor()
  await expectFocusIn(dialog)
  await press(page, dialog.getByRole('button', { name: 'Pay' }))
  const pay = page.locator('button[name=outcome][value=pay]')
  await pay.waitFor()
  while (!(await isFocused(pay))) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Your song is cooking.').waitFor()
  await page.getByText('25.00 credits were added').waitFor()
  await page.getByText('10.00 paid for what was waiting. Your balance is 15.00.').waitFor()
  await press(page, page.getByRole('link', { name: 'Go Home' }))
  await expectFocusIn(page.getByRole('main'))
  await item(visitor, 'Typed').getByRole('button', { name: 'Cooking...' }).waitFor()

  const desk = await visitAs(await person(studioOperator()), { colorScheme: 'dark' })
  await fulfilByKeyboard(desk, 'Typed')

  await press(page, item(visitor, 'Typed').getByRole('button', { name: 'Download' }))
  await page.getByRole('menuitem', { name: 'Version 2' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await player(visitor).getByRole('button', { name: 'Pause' }).waitFor()
  await expectFocusIn(player(visitor))
  await tabTo(page, player(visitor).getByRole('radio', { name: 'Version 2' }))
  await page.keyboard.press('ArrowLeft')
  await expect(player(visitor).getByRole('radio', { name: 'Version 1' })).toBeChecked()
  await expectKeysOnlyInPlayer(visitor)
  await tabTo(page, player(visitor).getByRole('link', { name: 'Save' }))
  await press(page, player(visitor).getByRole('button', { name: 'Close' }), 'Space')
  await expect(item(visitor, 'Typed').getByRole('button', { name: 'Download' })).toBeFocused()

  await press(page, banner(visitor).getByRole('button', { name: 'Ada' }))
  await page.getByRole('menuitem', { name: 'Logout' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Try Now' }).waitFor()
  await expectFocusIn(page.getByRole('main'))
  expect(visitor.errors).toEqual([])
})

/** Space, arrows and digits belong to the player only while the focus is in it. */
async function expectKeysOnlyInPlayer(visitor: Visit): Promise<void> {
  const { page } = visitor
  const panel = player(visitor)
  const slider = panel.getByRole('slider', { name: 'Position' })
  await tabTo(page, panel.getByRole('button', { name: /^(Play|Pause)$/ }), 'Shift+Tab')
  await page.keyboard.press('2')
  await expect(panel.getByRole('radio', { name: 'Version 2' })).toBeChecked()
  await tabTo(page, item(visitor, 'Typed').getByRole('button', { name: 'Copy style' }), 'Shift+Tab')
  const before = await slider.inputValue()
  for (const key of ['1', 'ArrowLeft', 'Escape']) await page.keyboard.press(key)
  await expect(panel.getByRole('radio', { name: 'Version 2' })).toBeChecked()
  expect(Number(await slider.inputValue())).toBeGreaterThanOrEqual(Number(before))
}

const studioOperator = () => ({ email: studio().operator.email, name: 'The Operator' })

async function fulfilByKeyboard(desk: Visit, style: string): Promise<void> {
  const { page } = desk
  await tabTo(page, region(desk).getByLabel('Admin password'))
  await page.keyboard.type(studio().operator.password)
  await page.keyboard.press('Enter')
  await choices(desk).waitFor()
  await expectFocusIn(region(desk))
  await choices(desk).getByRole('option', { name: style }).waitFor({ state: 'attached' })
  await tabTo(page, choices(desk))
  await page.keyboard.type(style)
  await region(desk).getByRole('region', { name: 'Full lyrics' }).waitFor()
  for (const n of [1, 2] as const) {
    const chooses = page.waitForEvent('filechooser')
    await press(page, input(desk, n))
    await (await chooses).setFiles(wav(`take ${n}.wav`, 30, 220 * n))
  }
  await press(page, upload(desk))
  await uploadDone(desk)
  await expectFocusIn(region(desk))
}

test('at 360 px a request is found, started and delivered at the desk by keyboard only @night', async ({
  visitOperator,
}) => {
  const { owner, song } = await paidSong('By keyboard')
  await request(await person(newcomer()), 'la', 'Unpaid, and so the last')
  const desk = await visitOperator({ viewport: PHONE })
  await openDesk(desk)
  const { page } = desk
  await tabTo(page, page.getByRole('tab', { name: 'To do' }))
  await page.keyboard.press('End')
  const delivered = page.getByRole('tab', { name: 'Delivered' })
  await expect(delivered).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Home')
  await requestRow(desk, song).waitFor()
  await tabTo(page, requests(desk).getByRole('link').first())
  // of the list one row is in the tab order
  await page.keyboard.press('End')
  await expect(requests(desk).getByRole('link').last()).toBeFocused()
  await expect.poll(() => unseenFocus(page)).toBeNull()
  await tabTo(page, requestRow(desk, song), 'ArrowUp')
  await page.keyboard.press('Enter')
  const open = openSong(desk, song)
  await expect(open.getByRole('heading', { level: 2 })).toBeFocused()
  await press(page, open.getByRole('button', { name: 'Start' }))
  await open.getByRole('button', { name: 'Release' }).waitFor()
  for (const n of [1, 2]) {
    const chooses = page.waitForEvent('filechooser')
    await press(page, delivery(desk).getByLabel(`Version ${n}`, { exact: true }))
    await (await chooses).setFiles(wav(`take ${n}.wav`, 30 + n))
  }
  await press(page, delivery(desk).getByRole('button', { name: 'Deliver…' }))
  const asked = question(desk, `Deliver to ${owner.name}?`)
  await asked.waitFor()
  await expectFocusIn(asked)
  await press(page, asked.getByRole('button', { name: 'Deliver', exact: true }))
  await uploadDone(desk)
  expect((await songNow(song)).status).toBe('ready')
  await expectFocusIn(page.getByRole('main'))
  expect(desk.errors).toEqual([])
})

test('on a low screen every entry of a menu can be reached @night', async ({ visitAs }) => {
  const viewport = { width: 640, height: 280 }
  const visitor = await visitAs(await person(), { viewport })
  const { page } = visitor
  await press(page, banner(visitor).getByRole('button', { name: 'Ada' }))
  await expect(page.getByRole('menuitem', { name: 'Statement' })).toBeFocused()
  const { y, height } = (await page.getByRole('menu').boundingBox())!
  expect(y).toBeGreaterThanOrEqual(0)
  expect(y + height).toBeLessThanOrEqual(viewport.height)
  for (const name of ['Statement', 'Your data', 'Preferences', 'Sessions', 'Logout']) {
    await expect(page.getByRole('menuitem', { name })).toBeFocused()
    await expect.poll(() => unseenFocus(page)).toBeNull()
    await page.keyboard.press('ArrowDown')
  }
})

test('under reduced motion there are no animations and transitions @night', async ({ visitAs }) => {
  const ada = await person()
  await give(ada, 10)
  await request(ada, 'la', 'In the oven')
  const visitor = await visitAs(ada)
  const { page } = visitor
  const moving = () =>
    page.evaluate(() => document.getAnimations().map((one) => (one as CSSAnimation).animationName ?? one.id))
  await item(visitor, 'In the oven').getByRole('button', { name: 'Cooking...' }).waitFor()
  expect(await moving()).toEqual([])
  await give(ada, 7)
  await balance(visitor).filter({ hasText: '7.00' }).waitFor()
  await press(page, banner(visitor).getByRole('link', { name: 'Prelude' }))
  await page.getByText('#SaveStudioTime').waitFor()
  expect(await moving()).toEqual([])
  const other = await visitAs(ada, WITH_MOTION)
  await item(other, 'In the oven').getByRole('button', { name: 'Cooking...' }).waitFor()
  expect(await other.page.evaluate(() => document.getAnimations().length)).toBeGreaterThan(0)
})
