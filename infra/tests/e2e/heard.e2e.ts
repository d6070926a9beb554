import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { confirm, deliveredSong, openDesk, openSong, question, wav } from './operator-steps.ts'
import { button, desk, openPage, region } from './owner-steps.ts'
import { listen, message, player, type Visit } from './steps.ts'
import { operator, tone } from './studio.ts'

/** What plays is the file that is shown, by the tone that is heard: a file is replaced, and a new take comes, while pages are open. */

/** The tones of a delivered song. */
const [FIRST, OTHER] = [220, 440]

/** Waits until this tone, and nothing else, is heard. */
async function heardOn(visitor: Visit) {
  const audioOn = await listen(visitor)
  return async (hertz: number): Promise<void> => {
    await expect
      .poll(async () => (await audioOn(visitor.page)).map((one) => Math.round(one.hertz / 10)))
      .toEqual([hertz / 10])
  }
}

async function replace({ id }: Song, hertz: number, seconds = 30): Promise<void> {
  const form = new FormData()
  form.set('file', new File([tone(seconds, hertz)], 'better.wav'))
  const { status } = await (await operator()).send('PUT', `/api/operator/songs/${id}/versions/1`, form)
  expect(status).toBe(200)
}

test('an owner hears a replaced file, and then a new take, in the open player and the form for changes', async ({
  visitAs,
}) => {
  const { owner, song } = await deliveredSong('Heard by its owner')
  const visitor = await visitAs(owner)
  const hears = await heardOn(visitor)
  const { page } = visitor
  await openPage(visitor, song)
  await button(page.getByRole('main'), 'Ask for changes').click()
  const changes = region(visitor, 'Changes')
  const play = (within = player(visitor)): Promise<void> =>
    within.getByRole('button', { name: 'Play', exact: true }).click()
  await play(changes)
  await hears(FIRST)
  await button(region(visitor, 'Versions'), 'Play Version 1').click()
  await hears(FIRST)
  const position = player(visitor).getByRole('slider', { name: 'Position' })
  await position.fill('15000')
  await replace(song, 330)
  await hears(330)
  expect(Number(await position.inputValue())).toBeGreaterThanOrEqual(15_000)
  await play(changes)
  await hears(330)
  await button(changes, 'Pause').click()
  await changes.getByRole('slider', { name: 'Position' }).fill('29000')
  await changes.getByRole('textbox', { name: 'Note' }).fill('At the end')
  await button(changes, 'Add note here').click()
  await replace(song, 330, 20)
  await changes.getByRole('listitem').getByText('After the end of the recording').waitFor()
  await play()
  await hears(330)
  await player(visitor).getByRole('radio', { name: 'Version 2' }).check({ force: true })
  await hears(OTHER)
  await player(visitor).getByRole('radio', { name: 'Version 1' }).check({ force: true })
  await hears(330)

  await owner.post(`/api/songs/${song.id}/changes`, { notes: [{ version: 1, text: 'Louder' }] })
  const form = new FormData()
  form.set('version1', new File([tone(30, 550)], 'louder.wav'))
  await desk(song, 'changes', form)
  await hears(550)
  await button(region(visitor, 'Versions'), 'Play Version 1, take 1').click()
  await player(visitor).getByText('Take 1').waitFor()
  await hears(330)
  expect(visitor.errors).toEqual([])
})

test('the operator and a person with a link hear the file that the operator has replaced, after a question', async ({
  visit,
  visitOperator,
}) => {
  const { owner, song } = await deliveredSong('Heard by others')
  const { body: link } = await owner.post<{ url: string }>(`/api/songs/${song.id}/shares`, {})
  const guest = await visit()
  const guestHears = await heardOn(guest)
  await guest.page.goto(link.url)
  const share = guest.page.getByRole('button', { name: 'Play Version 1' })
  await share.click()
  await guestHears(FIRST)
  await share.click()

  const operated = await visitOperator()
  const operatorHears = await heardOn(operated)
  await openDesk(operated, song)
  const open = openSong(operated, song)
  const play = open.getByRole('button', { name: /^Play version 1 / })
  await play.click()
  await operatorHears(FIRST)
  await open.getByText('Replace a version').click()
  await open.getByLabel('New file', { exact: true }).setInputFiles(wav('better.wav', 30, 330))
  const replacing = open.getByRole('button', { name: 'Replace', exact: true })
  await replacing.click()
  await question(operated, 'Replace this file?').getByText('better.wav').waitFor()
  await confirm(operated, 'Keep it').click()
  await replacing.click()
  await confirm(operated, 'Replace').click()
  await message(operated, 'status', 'Version 1 replaced.').waitFor()
  await operatorHears(330)

  await share.click()
  await guestHears(330)
  expect([...operated.errors, ...guest.errors]).toEqual([])
})
