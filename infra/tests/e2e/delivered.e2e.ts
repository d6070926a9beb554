import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { confirm, deliveredSong, openDesk, openSong, question, songNow, wav } from './operator-steps.ts'
import { expectAskedBeforeLeaving, message, player } from './steps.ts'
import { type Person, mail } from './studio.ts'

/** What the operator's page `/operator` can do with a song that was delivered. */

const ask = ({ owner, song }: { owner: Person; song: Song }, notes: readonly object[]) =>
  owner.post(`/api/songs/${song.id}/changes`, { notes })

test('the credits of a delivered song are given back, with a reason for its owner; it stays playable @night', async ({
  visitOperator,
}) => {
  const { owner, song } = await deliveredSong('Delivered and refunded')
  const desk = await visitOperator()
  await openDesk(desk, song)
  const open = openSong(desk, song)
  await open.getByText('Give the credits back').click()
  const refund = open.getByRole('button', { name: 'Refund credits' })
  await expect(refund).toBeDisabled()
  await open.getByRole('textbox', { name: /^Reason/ }).fill('the wrong singer')
  await refund.click()
  const asked = question(desk, 'Give 10.00 credits back to Bola Ige?')
  for (const part of [owner.email, '“Delivered and refunded” stays in their album.', '“the wrong singer”'])
    await asked.getByText(part).waitFor()
  await confirm(desk, 'Give 10.00 credits').click()
  await message(desk, 'status', 'Credits refunded.').waitFor()
  await open.getByText(/^refunded · /).waitFor()
  await expect(open.getByText('Give the credits back')).toHaveCount(0)
  expect(await songNow(song)).toMatchObject({ status: 'ready', charge: 'refunded' })
  await expect.poll(async () => (await owner.get<{ balance: number }>('/api/credits')).body.balance).toBe(10)
  expect((await mail(owner.email, /credits are back/)).text).toContain('the wrong singer')
  expect(desk.errors).toEqual([])
})

test('a replacement goes on with its controls on another page, asks before the page is left, and is found again @night', async ({
  visitOperator,
}) => {
  const { song } = await deliveredSong('Replaced elsewhere')
  const desk = await visitOperator()
  const { page } = desk
  await openDesk(desk, song)
  const open = openSong(desk, song)
  await open.getByText('Replace a version').click()
  await open.getByRole('combobox', { name: 'Version' }).selectOption({ label: 'Version 2' })
  await open.getByLabel('New file', { exact: true }).setInputFiles(wav('better.wav', 31))
  await page.route('**/versions/2', () => undefined)
  await open.getByRole('button', { name: 'Replace', exact: true }).click()
  await confirm(desk, 'Replace').click()
  await open.getByRole('progressbar').waitFor()
  await page.getByRole('link', { name: 'Operations' }).click()
  await open.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Cancel Version 2' }).waitFor()
  await expectAskedBeforeLeaving(page)

  await page.goBack()
  await open.getByRole('progressbar').waitFor()
  await expect(page.getByRole('progressbar')).toHaveCount(1)
  await open.getByText('better.wav').waitFor()
  await open.getByRole('button', { name: 'Cancel Version 2' }).click()
  await message(desk, 'alert', 'Upload cancelled.').waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
})

test('the notes of a second round are not ticked off yet @night', async ({ visitOperator }) => {
  const delivered = await deliveredSong('Asked for twice')
  await ask(delivered, [{ version: 1, text: 'Louder' }])
  const desk = await visitOperator()
  await openDesk(desk, delivered.song)
  const notes = openSong(desk, delivered.song).getByRole('list', { name: 'Notes' })
  await notes.getByRole('checkbox', { name: 'Louder' }).check()
  // with the included rounds as they are, one song has no second one
  await desk.page.route(`**/api/songs/${delivered.song.id}`, async (route) => {
    const response = await route.fetch()
    const song = (await response.json()) as Song
    const notes = [{ version: 1, atMs: null, text: 'Softer again' }]
    await route.fulfill({
      response,
      json: { ...song, changes: { ...song.changes, askedAt: Date.now(), notes } },
    })
  })
  await desk.page.evaluate(() => dispatchEvent(new Event('online')))
  const again = notes.getByRole('checkbox', { name: 'Softer again' })
  await again.waitFor()
  await expect(again).not.toBeChecked()
})

test('notes are marked on the waveform of their version, in which a click plays from there @night', async ({
  visitOperator,
}) => {
  const delivered = await deliveredSong('Notes on the waveform')
  await ask(delivered, [
    { version: 2, atMs: 500, text: 'Louder here' },
    { version: 2, text: 'Calmer' },
  ])
  const desk = await visitOperator()
  await openDesk(desk, delivered.song)
  const open = openSong(desk, delivered.song)
  const slider = open.getByRole('slider', { name: 'Position in Version 2' })
  await expect.poll(async () => Number(await slider.getAttribute('max'))).toBeGreaterThan(1)
  await expect(open.getByRole('slider')).toHaveCount(1)
  const marks = slider.locator('..').locator('span')
  const lefts = await marks.evaluateAll((all) => all.map((one) => parseFloat(one.style.left)))
  const max = Number(await slider.getAttribute('max'))
  expect(lefts).toEqual([expect.closeTo((500 / max) * 100, 0)])
  await slider.fill(String(Math.floor(max / 2)))
  await player(desk).getByRole('radio', { name: 'Version 2', checked: true }).waitFor()
  await expect.poll(async () => Number(await slider.inputValue())).toBeGreaterThanOrEqual(Math.floor(max / 2))
  expect(desk.errors).toEqual([])
})
