import type { Browser, Locator } from 'playwright-core'
import type { Song } from '@prelude/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import {
  chargedSong,
  delivery,
  drop,
  openDesk,
  openSong,
  sent,
  uploadDone,
  visitOperator,
  wav,
} from './operator-steps.ts'
import { message, type Visit } from './steps.ts'
import { fulfil, give, type Known, mail, newcomer, operator, person, request } from './studio.ts'

/** The operator's page `/operator`: requests by what is to be done, one of them open beside the list. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

async function paidSong(style: string): Promise<{ owner: Known; song: Song }> {
  const owner = await person(newcomer('Bola Ige'))
  await give(owner, 10)
  return { owner, song: await request(owner, 'Rain on the roof\nall night', style) }
}
const tab = ({ page }: Visit, name: string): Locator => page.getByRole('tab', { name, exact: true })
const requests = ({ page }: Visit): Locator => page.getByRole('list', { name: 'Requests' })
const row = (visitor: Visit, song: Song): Locator => requests(visitor).getByRole('link', { name: song.style })
const now = async (song: Song): Promise<Song> =>
  (await (await operator()).get<Song>(`/api/songs/${song.id}`)).body
const dialog = ({ page }: Visit, title: string | RegExp): Locator => page.getByRole('dialog', { name: title })
const press = (within: Locator, name: string): Promise<void> =>
  within.getByRole('button', { name, exact: true }).click()

test('a song is opened from the list, started, released and declined; its owner reads why', async () => {
  const { owner, song } = await paidSong('Started and declined')
  await using desk = await visitOperator(browser)
  await desk.page.getByRole('region', { name: 'Operator' }).getByRole('link', { name: 'Desk' }).click()
  await row(desk, song)
    .getByText(/^charged · /)
    .waitFor()
  await row(desk, song)
    .getByText(/^Ready by /)
    .waitFor()
  await row(desk, song).click()
  const open = openSong(desk, song)
  await open.getByText('Rain on the roof').waitFor()
  await open.getByText(`Bola Ige · ${owner.email}`).waitFor()
  await press(open, 'Start')
  await row(desk, song).waitFor({ state: 'detached' })
  await tab(desk, 'In the studio').click()
  await row(desk, song).waitFor()
  await press(open, 'Release')
  await row(desk, song).waitFor({ state: 'detached' })
  expect((await now(song)).startedAt).toBeNull()

  await press(open, 'Decline')
  const question = dialog(desk, 'Decline the request of Bola Ige?')
  await question.getByText('10.00 credits go back to Bola Ige.').waitFor()
  await question.getByText(owner.email).waitFor()
  const decline = question.getByRole('button', { name: 'Decline' })
  expect(await decline.isDisabled()).toBe(true)
  await question.getByRole('textbox', { name: 'Reason' }).fill('Which language?')
  await press(question, 'Back')
  expect((await now(song)).status).toBe('pending')
  await press(open, 'Decline')
  await question.getByRole('textbox', { name: 'Reason' }).fill('Which language?')
  await decline.click()
  await message(desk, 'status', 'Request declined.').waitFor()
  expect(await now(song)).toMatchObject({ status: 'declined', closedReason: 'Which language?' })
  expect((await mail(owner.email, /credits are back/)).text).toContain('Which language?')
  await open.getByText('Reason: Which language?').waitFor()
  expect(desk.errors).toEqual([])
})

test('the internal note is saved while it is typed, and is there after a reload', async () => {
  const { song } = await paidSong('With a note')
  await using desk = await visitOperator(browser)
  await openDesk(desk, song)
  const note = openSong(desk, song).getByRole('textbox', { name: 'Internal note' })
  await note.fill('horns in the chorus')
  await openSong(desk, song).getByText('Saved').waitFor()
  expect((await now(song)).note).toBe('horns in the chorus')
  await desk.page.reload()
  await expect.poll(() => note.inputValue()).toBe('horns in the chorus')
  // the last words are saved at once when the field is left
  await note.fill('horns in the chorus, no drums')
  await tab(desk, 'To do').click()
  await expect.poll(async () => (await now(song)).note).toBe('horns in the chorus, no drums')
})

test('two files that are dropped are heard, swapped and checked, and delivered with two clicks; the next song opens', async () => {
  const { owner, song } = await paidSong('Dropped at the desk')
  await chargedSong('There is always another one')
  await using desk = await visitOperator(browser)
  await openDesk(desk, song)
  await drop(desk.page.locator('main'), [wav('take 10.wav', 31), wav('take 9.wav', 32, 330)])
  const region = delivery(desk)
  const checks = region.getByRole('list', { name: 'Checks' }).getByRole('listitem')
  await checks.filter({ hasText: 'Version 1' }).getByText('Duration 0:32').waitFor()
  await press(region, 'Swap')
  await checks.filter({ hasText: 'Version 1' }).getByText('Duration 0:31').waitFor()
  // 9,000 of 32,768 in one channel
  await checks
    .filter({ hasText: 'Version 2' })
    .getByText(/Loudness −1\d\.\d LUFS · Peak −11\.2 dB/)
    .waitFor()
  await press(region, 'Play Version 2')
  await region.getByRole('button', { name: 'Pause Version 2' }).waitFor()
  await press(region, 'Pause Version 2')

  await press(region, 'Deliver…')
  const question = dialog(desk, 'Deliver to Bola Ige?')
  for (const part of [owner.email, 'take 10.wav', 'take 9.wav']) await question.getByText(part).waitFor()
  await press(question, 'Back')
  expect((await now(song)).status).toBe('pending')
  await press(region, 'Deliver…')
  await press(question, 'Deliver')
  await uploadDone(desk, 60_000)
  expect((await now(song)).status).toBe('ready')
  const { items } = (
    await (await operator()).get<{ items: Song[] }>('/api/operator/songs?stage=todo&limit=1')
  ).body
  await expect.poll(() => new URL(desk.page.url()).searchParams.get('song')).toBe(items[0]?.id)
  await openSong(desk, items[0]!).getByRole('heading', { level: 2 }).waitFor()
  // nothing of the delivered song is left for this one
  await region.getByText('Drop both files').waitFor()
  expect(await region.getByText('take 9.wav').count()).toBe(0)
  await tab(desk, 'Delivered').click()
  await row(desk, song).waitFor()
  expect(desk.errors).toEqual([])
})

test('the same file twice, and a short one, need a second yes', async () => {
  const { song } = await paidSong('Twice the same')
  await using desk = await visitOperator(browser)
  await openDesk(desk, song)
  const requested = sent(desk.page)
  const region = delivery(desk)
  for (const n of [1, 2])
    await region.getByLabel(`Version ${n}`, { exact: true }).setInputFiles(wav(`${n}.wav`, 2))
  await region.getByText('Both files are the same.').waitFor()
  await region.getByText('Version 1 is shorter than 30 s.').waitFor()
  await press(region, 'Deliver…')
  await press(dialog(desk, 'Deliver to Bola Ige?'), 'Deliver')
  const doubt = dialog(desk, 'Deliver all the same?')
  await doubt.getByText('Both files are the same.').waitFor()
  await press(doubt, 'Back')
  await doubt.waitFor({ state: 'detached' })
  expect(requested).toEqual([])
  await press(region, 'Deliver…')
  await press(dialog(desk, 'Deliver to Bola Ige?'), 'Deliver')
  await press(doubt, 'Deliver all the same')
  await uploadDone(desk, 60_000)
  expect((await now(song)).status).toBe('ready')
})

test('changes are read, heard where they are asked for, ticked off, and delivered with one file', async () => {
  const { owner, song } = await paidSong('To be changed')
  await fulfil(song)
  const notes = [
    { version: 2, atMs: 500, text: 'Louder here' },
    { version: 1, text: 'A calmer ending' },
  ]
  await owner.post(`/api/songs/${song.id}/changes`, { notes })
  await using desk = await visitOperator(browser)
  await openDesk(desk)
  await tab(desk, 'Changes').click()
  await row(desk, song).click()
  const list = openSong(desk, song).getByRole('list', { name: 'Notes' })
  await list.getByRole('checkbox', { name: 'Louder here' }).check()
  await desk.page.reload()
  await expect.poll(() => list.getByRole('checkbox', { name: 'Louder here' }).isChecked()).toBe(true)
  expect(await list.getByRole('checkbox', { name: 'A calmer ending' }).isChecked()).toBe(false)
  await press(list, 'Play Version 2 from 0:00')
  const position = desk.page.getByRole('region', { name: 'Player' }).getByRole('slider', { name: 'Position' })
  await expect.poll(async () => Number(await position.inputValue())).toBeGreaterThanOrEqual(500)
  await desk.page.keyboard.press('Escape')

  await delivery(desk).getByLabel('Version 2', { exact: true }).setInputFiles(wav('louder.wav', 31))
  await press(delivery(desk), 'Deliver…')
  await press(dialog(desk, 'Deliver to Bola Ige?'), 'Deliver')
  await message(desk, 'status', 'Changes delivered.').waitFor({ timeout: 60_000 })
  expect(await now(song)).toMatchObject({ takes: { 1: 1, 2: 2 }, changes: { state: 'delivered' } })
  await row(desk, song).waitFor({ state: 'detached' })
  expect(desk.errors).toEqual([])
})

test('what one desk does is seen at another, also after its connection was lost', async () => {
  const { song } = await paidSong('At two desks')
  await using one = await visitOperator(browser)
  await using two = await visitOperator(browser, { serviceWorkers: 'block' })
  await openDesk(one, song)
  await openDesk(two, song)
  await press(openSong(one, song), 'Start')
  await openSong(two, song).getByRole('button', { name: 'Release' }).waitFor()
  await two.context.setOffline(true)
  await two.page.getByText('Connection lost. Trying again…').waitFor()
  await fulfil(song)
  await two.context.setOffline(false)
  await delivery(two).waitFor({ state: 'detached' })
  await openSong(two, song)
    .getByText(/^delivered /)
    .waitFor()
})

test('tabs, list and song are worked with the keyboard alone', async () => {
  const { song } = await paidSong('By keyboard')
  await using desk = await visitOperator(browser)
  await openDesk(desk)
  const { keyboard } = desk.page
  await tab(desk, 'To do').focus()
  await keyboard.press('End')
  await expect.poll(() => tab(desk, 'Delivered').getAttribute('aria-selected')).toBe('true')
  await keyboard.press('Home')
  await row(desk, song).waitFor()
  await keyboard.press('Tab')
  // of the list one row is in the tab order; the newest charged song is the last
  await keyboard.press('End')
  await expect.poll(() => row(desk, song).evaluate((one) => one === document.activeElement)).toBe(true)
  await keyboard.press('Enter')
  const heading = openSong(desk, song).getByRole('heading', { level: 2 })
  await expect.poll(() => heading.evaluate((one) => one === document.activeElement)).toBe(true)
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await openSong(desk, song).getByRole('button', { name: 'Release' }).waitFor()
})

test('others than the operator read that the desk is not theirs; the operator unlocks it in place', async () => {
  await using desk = await visitOperator(browser)
  await openDesk(desk)
  await press(desk.page.locator('main'), 'Lock')
  await desk.page.getByLabel('Admin password').waitFor()
  expect(await tab(desk, 'To do').count()).toBe(0)
})
