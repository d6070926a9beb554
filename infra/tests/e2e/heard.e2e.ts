import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { confirm, deliveredSong, openDesk, openSong, question, wav } from './operator-steps.ts'
import { button, desk, openPage, region } from './owner-steps.ts'
import { listen, message, player, type Visit } from './steps.ts'
import { operator, tone } from './studio.ts'

/** Which file plays, by the frequency of its tone: a file is replaced, and a new take delivered, while pages are open. */

/** The tones of a delivered song. */
const [FIRST, OTHER] = [220, 440]

/** Its function waits until this tone plays, and nothing else. */
async function toneProbe(visitor: Visit) {
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

test('a replaced file, and then a new take, plays in the open player and the form for changes of its owner', async ({
  visitAs,
}) => {
  const { owner, song } = await deliveredSong('Heard by its owner')
  const visitor = await visitAs(owner)
  const expectTone = await toneProbe(visitor)
  const { page } = visitor
  await openPage(visitor, song)
  await button(page.getByRole('main'), 'Ask for changes').click()
  const changes = region(visitor, 'Changes')
  const play = (within = player(visitor)): Promise<void> =>
    within.getByRole('button', { name: 'Play', exact: true }).click()
  await play(changes)
  await expectTone(FIRST)
  await button(region(visitor, 'Versions'), 'Play Version 1').click()
  await expectTone(FIRST)
  const position = player(visitor).getByRole('slider', { name: 'Position' })
  await position.fill('15000')
  await replace(song, 330)
  await expectTone(330)
  expect(Number(await position.inputValue())).toBeGreaterThanOrEqual(15_000)
  await play(changes)
  await expectTone(330)
  await button(changes, 'Pause').click()
  await changes.getByRole('slider', { name: 'Position' }).fill('29000')
  await changes.getByRole('textbox', { name: 'Note' }).fill('At the end')
  await button(changes, 'Add note here').click()
  await replace(song, 330, 20)
  await changes.getByRole('listitem').getByText('After the end of the recording').waitFor()
  await play()
  await expectTone(330)
  await player(visitor).getByRole('radio', { name: 'Version 2' }).check({ force: true })
  await expectTone(OTHER)
  await player(visitor).getByRole('radio', { name: 'Version 1' }).check({ force: true })
  await expectTone(330)

  await owner.post(`/api/songs/${song.id}/changes`, { notes: [{ version: 1, text: 'Louder' }] })
  const form = new FormData()
  form.set('version1', new File([tone(30, 550)], 'louder.wav'))
  await desk(song, 'changes', form)
  await expectTone(550)
  await button(region(visitor, 'Versions'), 'Play Version 1, take 1').click()
  await player(visitor).getByText('Take 1').waitFor()
  await expectTone(330)
  expect(visitor.errors).toEqual([])
})

test('a file that the operator has replaced, after a question, plays at the desk and on the page of a link', async ({
  visit,
  visitOperator,
}) => {
  const { owner, song } = await deliveredSong('Heard by others')
  const { body: link } = await owner.post<{ url: string }>(`/api/songs/${song.id}/shares`, {})
  const guest = await visit()
  const expectGuestTone = await toneProbe(guest)
  await guest.page.goto(link.url)
  const share = guest.page.getByRole('button', { name: 'Play Version 1' })
  await share.click()
  await expectGuestTone(FIRST)
  await share.click()

  const operated = await visitOperator()
  const expectOperatorTone = await toneProbe(operated)
  await openDesk(operated, song)
  const open = openSong(operated, song)
  const play = open.getByRole('button', { name: /^Play version 1 / })
  await play.click()
  await expectOperatorTone(FIRST)
  await open.getByText('Replace a version').click()
  await open.getByLabel('New file', { exact: true }).setInputFiles(wav('better.wav', 30, 330))
  const replacing = open.getByRole('button', { name: 'Replace', exact: true })
  await replacing.click()
  await question(operated, 'Replace this file?').getByText('better.wav').waitFor()
  await confirm(operated, 'Keep it').click()
  await replacing.click()
  await confirm(operated, 'Replace').click()
  await message(operated, 'status', 'Version 1 replaced.').waitFor()
  await expectOperatorTone(330)

  await share.click()
  await expectGuestTone(330)
  expect([...operated.errors, ...guest.errors]).toEqual([])
})
