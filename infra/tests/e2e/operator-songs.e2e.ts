import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  chargedSong,
  choices,
  choose,
  confirm,
  input,
  money,
  moneyRow,
  openTab,
  question,
  readyRow,
  region,
  upload,
  uploadDone,
  wav,
} from './operator-steps.ts'
import { balance, item, message, player } from './steps.ts'
import { FIXTURES, fulfil, give, mail, mails, newcomer, person, request, studio } from './studio.ts'

/** Songs in the operator's panel: the queue, what is delivered, refunded and heard. */

test('a delivery is one line of the audit, with song and person; its uploads are shown under All calls @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Written into the audit')
  const desk = await visitOperator()
  await choose(desk, song)
  await input(desk, 1).setInputFiles(wav('one.wav', 40))
  await input(desk, 2).setInputFiles(wav('two.wav', 40))
  await upload(desk).click()
  await uploadDone(desk)
  await openTab(desk, 'Audit')
  const lines = money(desk).getByRole('listitem')
  const delivered = lines.filter({ hasText: 'delivered a song · “Written into the audit”' })
  await delivered.getByText(song.email).waitFor()
  await expect(lines.filter({ hasText: /looked at|uploaded/ })).toHaveCount(0)
  const show = money(desk).getByRole('combobox', { name: 'Show' })
  await show.selectOption({ label: 'Money' })
  await delivered.waitFor({ state: 'detached' })
  await show.selectOption({ label: 'Every call' })
  // dozens of requests in a row are one line; a refused one, as other tests bring about, is a line of its own
  await lines.filter({ hasText: 'uploaded parts of files' }).first().waitFor()
  const texts = await lines.allInnerTexts()
  const isUpload = (text = ''): boolean => text.includes('uploaded parts') && !text.includes('Refused')
  expect(texts.filter((text, at) => isUpload(text) && isUpload(texts[at - 1]))).toEqual([])
})

test('a song that cannot be made is refunded, which its owner sees live and gets by mail @night', async ({
  visitAs,
  visitOperator,
}) => {
  const bola = await person(newcomer('Bola Ige'))
  await give(bola, 10)
  const song = await request(bola, 'la', 'Cannot be made')
  const owner = await visitAs(bola)
  await item(owner, 'Cannot be made').getByRole('button', { name: 'Cooking...' }).waitFor()
  const desk = await visitOperator()
  await choose(desk, song)
  await region(desk).getByText('Refund the credits instead').click()
  await region(desk)
    .getByRole('textbox', { name: 'Reason (the customer reads it)' })
    .fill('no singer for this')
  await region(desk).getByRole('button', { name: 'Refund credits' }).click()
  const asked = question(desk, 'Give 10.00 credits back to Bola Ige?')
  for (const part of [bola.email, '“Cannot be made” will not be made', '“no singer for this”'])
    await asked.getByText(part).waitFor()
  await confirm(desk, 'Give 10.00 credits').click()
  await message(desk, 'status', 'Credits refunded.').waitFor()
  await item(owner, 'Cannot be made').getByText('credits refunded: no singer for this').waitFor()
  await balance(owner).filter({ hasText: '10.00' }).waitFor()
  expect((await mail(bola.email, /^10\.00 credits are back/)).text).toContain('Why:\nno singer for this')

  // nothing is left to do: out of the queue, and still to be found
  const option = choices(desk).locator(`option[value="${song.id}"]`)
  await option.waitFor({ state: 'detached' })
  await region(desk)
    .getByRole('checkbox', { name: /^Show refunded requests/ })
    .check()
  await option.waitFor({ state: 'attached' })
})

test('a delivered song can be played and sends one mail; a wrong file is replaced without another mail @night', async ({
  visitAs,
  visitOperator,
}) => {
  const bola = await person(newcomer('Bola Ige'))
  await give(bola, 10)
  const style = 'Delivered <b>once</b>'
  const song = await request(bola, 'la', style)
  const owner = await visitAs(bola)
  const desk = await visitOperator()
  await choose(desk, song)
  await input(desk, 1).setInputFiles(`${FIXTURES}/cbr.mp3`)
  await input(desk, 2).setInputFiles(`${FIXTURES}/cbr.mp3`)
  await upload(desk).click()
  await uploadDone(desk)
  await expect(choices(desk).locator(`option[value="${song.id}"]`)).toHaveCount(0)
  const ready = await mail(bola.email, /^Your song is ready: “/)
  expect(ready.text).toContain(style)
  expect(ready.html).toContain('Delivered &#60;b&#62;once&#60;/b&#62;')

  await region(desk).getByText('Ready songs').click()
  const delivered = readyRow(desk, style)
  await delivered.getByText('Replace a version').click()
  await delivered.getByRole('combobox', { name: 'Version' }).selectOption({ label: 'Version 2' })
  await delivered
    .getByLabel('New file', { exact: true })
    .setInputFiles({ name: 'note.wav', mimeType: 'audio/wav', buffer: Buffer.from('not a song') })
  await delivered.getByRole('button', { name: 'Replace' }).click()
  await confirm(desk, 'Replace').click()
  await message(desk, 'alert', /^Version 2 \(note\.wav\): This is not an audio file/).waitFor()
  await delivered.getByLabel('New file', { exact: true }).setInputFiles(`${FIXTURES}/tone.flac`)
  await delivered.getByRole('button', { name: 'Replace' }).click()
  await confirm(desk, 'Replace').click()
  await message(desk, 'status', 'Version 2 replaced.').waitFor()
  await expect(delivered.getByLabel('New file', { exact: true })).toHaveValue('')

  await item(owner, style).getByRole('button', { name: 'Download' }).click()
  await owner.page.getByRole('menuitem', { name: 'Version 2' }).click()
  const href = await player(owner).getByRole('link', { name: 'Download' }).getAttribute('href')
  const file = await owner.context.request.get(new URL(href ?? '', studio().web).href)
  expect(file.headers()['content-type']).toBe('audio/flac')
  expect(await mails(bola.email)).toHaveLength(1)
})

test('long lyrics scroll in the panel; how many lines they have stands above them, and a line is cut where more follow @night', async ({
  visitOperator,
}) => {
  const lines = Array.from({ length: 120 }, (_one, n) => `Line ${n + 1}`)
  const song = await chargedSong('A long one', lines.join('\n'))
  const desk = await visitOperator()
  await choose(desk, song)
  await region(desk).getByText('120 lines', { exact: true }).waitFor()
  const shown = await region(desk)
    .getByRole('region', { name: 'Full lyrics' })
    .evaluate((one) => {
      const { lineHeight, paddingTop } = getComputedStyle(one)
      return (one.clientHeight - parseFloat(paddingTop)) / parseFloat(lineHeight)
    })
  expect(shown).toBeCloseTo(8.5, 1)
})

test('a song that was fulfilled in another window is neither offered nor selected any more @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Made ready elsewhere')
  const desk = await visitOperator()
  await choose(desk, song)
  await fulfil(song)
  await expect(choices(desk)).toHaveValue('')
  await expect(choices(desk).locator(`option[value="${song.id}"]`)).toHaveCount(0)
})

test('the queue shows how long each song has waited and whether it is paid; a row selects it, its texts are copied completely @night', async ({
  visitOperator,
}) => {
  const paid = await chargedSong('Paid for in the queue')
  const lyrics = `${'A line that is longer than what a row of the queue shows\n'.repeat(3)}The end`
  const unpaid = await request(await person(), lyrics, 'Not yet paid in the queue')
  const desk = await visitOperator({ permissions: ['clipboard-read', 'clipboard-write'] })
  await region(desk)
    .getByText(/^\d+ requests? in the queue$/)
    .click()
  const queued = (style: string): Locator =>
    region(desk)
      .getByRole('list', { name: /in the queue$/ })
      .getByRole('button', { name: style })
  await queued(paid.style)
    .getByText(/^charged · \S/)
    .waitFor()
  await queued(unpaid.style)
    .getByText(/^not charged · \S/)
    .waitFor()
  await queued(unpaid.style).click()
  await expect(choices(desk)).toHaveValue(unpaid.id)
  await expect(queued(unpaid.style)).toHaveAttribute('aria-pressed', 'true')
  for (const [name, text] of [
    ['Copy style', unpaid.style],
    ['Copy lyrics', lyrics],
  ] as const) {
    await region(desk).getByRole('button', { name }).click()
    await expect.poll(() => desk.page.evaluate(() => navigator.clipboard.readText())).toBe(text)
  }
  await fulfil(unpaid)
  await queued(unpaid.style).waitFor({ state: 'detached' })
})

test('a delivered song can be played at the desk, and the focus returns to it @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Heard at the desk')
  await fulfil(song)
  const desk = await visitOperator()
  await region(desk).getByText('Ready songs').click()
  const listen = readyRow(desk, song.email).getByRole('button', {
    name: 'Play version 2 of Heard at the desk',
  })
  await listen.click()
  await player(desk).getByRole('button', { name: 'Pause' }).waitFor()
  await expect(player(desk).getByRole('radio', { name: 'Version 2' })).toBeChecked()
  await desk.page.keyboard.press('Escape')
  await player(desk).waitFor({ state: 'detached' })
  await expect(listen).toBeFocused()
})

test('characters that change the direction of text are marked in names and texts at the desk @night', async ({
  visitOperator,
}) => {
  const mallory = await person(newcomer('Mallory \u202Eyrollam'))
  await give(mallory, 25)
  const song = await request(mallory, 'la \u2067lyrics', 'style \u202Eelyts')
  const desk = await visitOperator()
  await choose(desk, song)
  const shown = region(desk)
  await shown.getByRole('paragraph').getByText('Mallory yrollam').waitFor()
  await shown.getByText('la \uFFFDlyrics', { exact: true }).waitFor()
  await shown.getByRole('paragraph').getByText('style \uFFFDelyts').waitFor()
  await openTab(desk, 'People')
  await moneyRow(desk, mallory.email).getByText('Mallory yrollam').waitFor()
  expect(await desk.page.getByRole('main').innerText()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
})
