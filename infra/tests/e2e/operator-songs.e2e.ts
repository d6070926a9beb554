import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  chargedSong,
  choices,
  choose,
  input,
  money,
  moneyRow,
  openTab,
  region,
  upload,
  uploadDone,
  wav,
} from './operator-steps.ts'
import { fulfil, give, newcomer, person, request } from './studio.ts'

/** Songs in the operator's panel: the queue, and what is delivered. */

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
