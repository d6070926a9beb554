import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  chargedSong,
  deliveredSong,
  delivery,
  drop,
  openDesk,
  openSong,
  paidSong,
  question,
  requestRow,
  requests,
  sent,
  songNow,
  uploadDone,
  wav,
} from './operator-steps.ts'
import { message, type Visit } from './steps.ts'
import { FIXTURES, fulfil, mail } from './studio.ts'

/** The operator's page `/operator`: requests by what is to be done, one of them open beside the list. */

/** Its name ends with how many songs it has. */
const tab = ({ page }: Visit, name: string): Locator =>
  page.getByRole('tab', { name: new RegExp(`^${name} \\d+$`) })
const press = (within: Locator, name: string): Promise<void> =>
  within.getByRole('button', { name, exact: true }).click()

test('a song is opened from the list, started, released and declined; its owner reads why', async ({
  visitOperator,
}) => {
  const { owner, song } = await paidSong('Started and declined', 'Rain on the roof\nall night')
  const desk = await visitOperator()
  await desk.page.getByRole('region', { name: 'Operator' }).getByRole('link', { name: 'Desk' }).click()
  await requestRow(desk, song)
    .getByText(/^charged · /)
    .waitFor()
  await desk.page.keyboard.press('/')
  await desk.page.keyboard.type(`${owner.email} bola`)
  await expect(requests(desk).getByRole('link')).toHaveCount(1)
  for (const [name, count] of Object.entries({ 'To do': 1, 'In the studio': 0, Delivered: 0 }))
    await desk.page.getByRole('tab', { name: `${name} ${count}`, exact: true }).waitFor()
  await requestRow(desk, song).click()
  const open = openSong(desk, song)
  await open.getByText('Rain on the roof').waitFor()
  await open.getByText(`Bola Ige · ${owner.email}`).waitFor()
  await open.getByText(/^Ready by /).waitFor()
  await press(open, 'Start')
  await expect(tab(desk, 'In the studio')).toHaveAttribute('aria-selected', 'true')
  await requestRow(desk, song).waitFor()
  await press(open, 'Release')
  await expect(tab(desk, 'To do')).toHaveAttribute('aria-selected', 'true')
  expect((await songNow(song)).startedAt).toBeNull()

  await press(open, 'Decline')
  const asked = question(desk, 'Decline the request of Bola Ige?')
  await asked.getByText('10.00 credits go back to Bola Ige.').waitFor()
  await asked.getByText(owner.email).waitFor()
  const decline = asked.getByRole('button', { name: 'Decline' })
  await expect(decline).toBeDisabled()
  await asked.getByRole('textbox', { name: 'Reason' }).fill('Which language?')
  await press(asked, 'Back')
  expect((await songNow(song)).status).toBe('pending')
  await press(open, 'Decline')
  // what was written stays, and the focus is where more is written
  const reason = asked.getByRole('textbox', { name: 'Reason' })
  await expect(reason).toHaveValue('Which language?')
  await expect(reason).toBeFocused()
  await decline.click()
  await message(desk, 'status', 'Request declined.').waitFor()
  expect(await songNow(song)).toMatchObject({ status: 'declined', closedReason: 'Which language?' })
  expect((await mail(owner.email, /credits are back/)).text).toContain('Which language?')
  await open.getByText('Reason: Which language?').waitFor()
  // on a phone the list and the song are two screens
  await desk.page.setViewportSize({ width: 360, height: 740 })
  await expect(desk.page.getByRole('tab')).toHaveCount(0)
  await desk.page.getByRole('link', { name: '‹ To do' }).click()
  await tab(desk, 'To do').waitFor()
  expect(desk.errors).toEqual([])
})

test('two files that are dropped are heard, swapped and checked, and delivered with two clicks; the next song opens', async ({
  visitOperator,
}) => {
  const { owner, song } = await paidSong('Dropped at the desk')
  const next = await chargedSong('The next of the list')
  const desk = await visitOperator()
  await openDesk(desk, song)
  await drop(desk.page.locator('main'), [wav('take 10.wav', 31), wav('take 9.wav', 32, 330)])
  const region = delivery(desk)
  const checks = region.getByRole('list', { name: 'Checks' }).getByRole('listitem')
  await checks.filter({ hasText: 'Version 1' }).filter({ hasText: 'Duration 0:32' }).waitFor()
  await press(region, 'Swap')
  await checks.filter({ hasText: 'Version 1' }).filter({ hasText: 'Duration 0:31' }).waitFor()
  const second = checks.filter({ hasText: 'Version 2' })
  for (const verdict of ['length', 'loudness', 'peak', 'start', 'end'])
    await second.getByText(verdict, { exact: true }).waitFor()
  // the figures are shown on demand: 9,000 of 32,768 in one channel
  await second.getByText('Version 2').click()
  await second.getByText(/Loudness −1\d\.\d LUFS · Peak −11\.2 dB/).waitFor()
  await press(region, 'Play Version 2')
  await region.getByRole('button', { name: 'Pause Version 2' }).waitFor()
  await press(region, 'Pause Version 2')

  await desk.page.keyboard.press('d')
  const asked = question(desk, 'Deliver to Bola Ige?')
  for (const part of [owner.email, 'take 10.wav', 'take 9.wav']) await asked.getByText(part).waitFor()
  await expect(asked.getByRole('button', { name: 'Deliver' })).toBeFocused()
  await press(asked, 'Back')
  expect((await songNow(song)).status).toBe('pending')
  await press(region, 'Deliver…')
  await press(asked, 'Deliver')
  await uploadDone(desk)
  expect((await songNow(song)).status).toBe('ready')
  // the one that was asked for after it
  await openSong(desk, next).getByRole('heading', { level: 2 }).waitFor()
  await desk.page.getByRole('status').filter({ hasText: 'Delivered to Bola Ige.' }).waitFor()
  // nothing of the delivered song is left for this one
  await region.getByText('Drop both files').waitFor()
  await expect(region.getByText('take 9.wav')).toHaveCount(0)
  await desk.page.getByRole('link', { name: 'Back to it' }).click()
  await openSong(desk, song)
    .getByText(/^delivered /)
    .waitFor()
  await tab(desk, 'Delivered').click()
  await requestRow(desk, song).waitFor()
  expect(desk.errors).toEqual([])
})

test('a failed delivery names its person and song, since another song may be open by then @night', async ({
  visitOperator,
}) => {
  const { song } = await paidSong('Refused meanwhile')
  const other = await chargedSong('Opened during a delivery')
  const desk = await visitOperator()
  await openDesk(desk, song)
  const answered = Promise.withResolvers<void>()
  await desk.page.route('**/fulfil', async (route) => {
    await answered.promise
    await route.fulfill({ status: 400, json: { code: 'refused', detail: 'It cannot be delivered.' } })
  })
  const region = delivery(desk)
  for (const n of [1, 2])
    await region.getByLabel(`Version ${n}`, { exact: true }).setInputFiles(wav(`${n}.wav`, 2, 220 * n))
  await press(region, 'Deliver…')
  await press(question(desk, 'Deliver to Bola Ige?'), 'Deliver')
  await requestRow(desk, other).click()
  await openSong(desk, other).getByRole('heading', { level: 2 }).waitFor()
  answered.resolve()
  await message(desk, 'alert', 'It cannot be delivered.').waitFor()
  await message(desk, 'status', 'Bola Ige · Refused meanwhile').waitFor()
})

test('that both files are the same, one is short, or some browsers cannot play one, is said before the files are delivered @night', async ({
  visitOperator,
}) => {
  const { song } = await paidSong('Twice the same')
  const desk = await visitOperator()
  await openDesk(desk, song)
  const requested = sent(desk.page)
  const region = delivery(desk)
  for (const n of [1, 2])
    await region.getByLabel(`Version ${n}`, { exact: true }).setInputFiles(wav(`${n}.wav`, 2))
  await region.getByText('Both files are the same.').waitFor()
  await region.getByText('Version 1 is shorter than 30 s.').waitFor()
  await press(region, 'Deliver…')
  const asked = question(desk, 'Deliver to Bola Ige?')
  for (const doubt of ['Both files are the same.', 'Version 1 is shorter than 30 s.'])
    await asked.getByText(doubt).waitFor()
  await press(asked, 'Back')
  await asked.waitFor({ state: 'detached' })
  expect(requested).toEqual([])
  await region.getByLabel('Version 2', { exact: true }).setInputFiles(`${FIXTURES}/vorbis.ogg`)
  const rare = 'Some browsers cannot play the coding of Version 2.'
  await region.getByText(rare).waitFor()
  await press(region, 'Deliver…')
  await asked.getByText(rare).waitFor()
  await press(asked, 'Deliver')
  await uploadDone(desk)
  expect((await songNow(song)).status).toBe('ready')
})

test('a file whose check does not end within half a minute is delivered unchecked, and the question says so @night', async ({
  visitOperator,
}) => {
  const { song } = await paidSong('Cannot be decoded')
  const desk = await visitOperator()
  const { page } = desk
  await page.clock.install()
  await openDesk(desk, song)
  await page.evaluate(() => {
    OfflineAudioContext.prototype.decodeAudioData = () => new Promise(() => {})
  })
  const region = delivery(desk)
  for (const n of [1, 2])
    await region.getByLabel(`Version ${n}`, { exact: true }).setInputFiles(wav(`${n}.wav`, 30 + n))
  await press(region, 'Deliver…')
  const asked = question(desk, 'Deliver to Bola Ige?')
  const deliver = asked.getByRole('button', { name: 'Deliver', exact: true })
  await deliver.waitFor()
  await expect(deliver).toBeDisabled()
  await page.clock.fastForward(31_000)
  await asked.getByText('This browser cannot check Version 2.').waitFor()
  await expect(deliver).toBeEnabled()
})

test('changes are read, heard where they are asked for, ticked off, and delivered with one file', async ({
  visitOperator,
}) => {
  const { owner, song } = await deliveredSong('A round of changes')
  const notes = [
    { version: 2, atMs: 500, text: 'Louder here' },
    { version: 1, text: 'A calmer ending' },
  ]
  await owner.post(`/api/songs/${song.id}/changes`, { notes })
  const desk = await visitOperator()
  await openDesk(desk)
  await tab(desk, 'Changes').click()
  await requestRow(desk, song).click()
  const list = openSong(desk, song).getByRole('list', { name: 'Notes' })
  await list.getByRole('checkbox', { name: 'Louder here' }).check()
  await desk.page.reload()
  await expect(list.getByRole('checkbox', { name: 'Louder here' })).toBeChecked()
  await expect(list.getByRole('checkbox', { name: 'A calmer ending' })).not.toBeChecked()
  await press(list, 'Play Version 2 from 0:00')
  const position = desk.page.getByRole('region', { name: 'Player' }).getByRole('slider', { name: 'Position' })
  await expect.poll(async () => Number(await position.inputValue())).toBeGreaterThanOrEqual(500)
  await desk.page.keyboard.press('Escape')

  await delivery(desk).getByLabel('Version 2', { exact: true }).setInputFiles(wav('louder.wav', 31))
  await press(delivery(desk), 'Deliver…')
  await press(question(desk, 'Deliver to Bola Ige?'), 'Deliver')
  await message(desk, 'status', 'Changes delivered.').waitFor()
  expect(await songNow(song)).toMatchObject({ takes: { 1: 1, 2: 2 }, changes: { state: 'delivered' } })
  await requestRow(desk, song).waitFor({ state: 'detached' })
  expect(desk.errors).toEqual([])
})

test('what one desk does is seen at another, also after its connection was lost @night', async ({
  visitOperator,
}) => {
  const { song } = await paidSong('At two desks')
  const one = await visitOperator()
  const two = await visitOperator()
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
