import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import {
  chargedSong,
  choices,
  choose,
  confirm,
  input,
  question,
  region,
  upload,
  uploadDone,
  visitOperator,
  wav,
} from './operator-steps.ts'
import { balance, item, message, player, topUp, type Visit, visitAs } from './steps.ts'
import { FIXTURES, fulfil, give, mail, mails, newcomer, pay, person, request, studio } from './studio.ts'

/** The operator's work besides uploads, and its results for people. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

const FROM_NIGERIA = { extraHTTPHeaders: { 'cf-ipcountry': 'NG' } }

const tab = (visitor: Visit, name: string): Promise<void> =>
  region(visitor).getByRole('button', { name, exact: true }).click()

const row = (visitor: Visit, text: string): Locator =>
  region(visitor).getByRole('listitem').filter({ hasText: text })

/** Announces a transfer in the dialog. */
async function announceTransfer(visitor: Visit): Promise<void> {
  await balance(visitor).click()
  const dialog = visitor.page.getByRole('dialog', { name: 'Enter Credit Amount' })
  await dialog.getByRole('combobox', { name: 'Payment method' }).selectOption({ label: 'Naira Transfer' })
  await dialog.getByRole('button', { name: 'I have sent it' }).click()
  await message(visitor, 'status', /^Thank you\./).waitFor()
}

test('a transfer from Nigeria appears at the open desk; after its confirmation the credits appear for its sender, both live', async () => {
  await using desk = await visitOperator(browser)
  const bola = await person(newcomer('Bola Ige'))
  await using sender = await visitAs(browser, studio().web, bola, FROM_NIGERIA)
  await announceTransfer(sender)
  const notice = await mail(studio().operator.email, new RegExp(`announced by ${bola.email}`))
  expect(notice.text).toContain(bola.email)

  const waiting = row(desk, bola.email)
  await waiting.getByText(/announced .*20\d\d/).waitFor()
  await waiting.getByRole('textbox', { name: 'Naira received' }).fill('36999.99')
  await waiting.getByRole('button', { name: 'Confirm' }).click()
  await confirm(desk, 'Give 24.99 credits').click()
  await desk.page.getByRole('alert').first().waitFor()
  await waiting.getByRole('textbox', { name: 'Naira received' }).fill('40000')
  await waiting.getByRole('button', { name: 'Confirm' }).click()
  const asked = question(desk, 'Did ₦40,000.00 arrive from Bola Ige?')
  await asked.getByText(bola.email).waitFor()
  await asked.getByText('They have 0.00 credits, and 27.02 afterwards').waitFor()
  // nothing happens before the second step
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await asked.waitFor({ state: 'detached' })
  expect((await bola.get<{ balance: number }>('/api/credits')).body.balance).toBe(0)
  await waiting.getByRole('button', { name: 'Confirm' }).click()
  await confirm(desk, 'Give 27.02 credits').click()
  await message(desk, 'status', 'Transfer confirmed.').waitFor()
  await waiting.waitFor({ state: 'detached' })
  await balance(sender).filter({ hasText: '27.02' }).waitFor()
  const receipt = await mail(bola.email, /bank transfer arrived/)
  expect(receipt.text).toContain('27.02')
  expect(receipt.html).toContain('27.02')
})

test('a rejected transfer adds no credits, sends a mail, and another may be announced', async () => {
  await using desk = await visitOperator(browser)
  const bola = await person(newcomer('Bola Ige'))
  await using sender = await visitAs(browser, studio().web, bola, FROM_NIGERIA)
  await announceTransfer(sender)
  const waiting = row(desk, bola.email)
  const reject = waiting.getByRole('button', { name: 'Reject' })
  expect(await reject.isDisabled()).toBe(true)
  await waiting.getByRole('textbox', { name: 'Reason to reject' }).fill('no such money')
  await reject.click()
  await message(desk, 'status', 'Transfer rejected.').waitFor()
  await waiting.waitFor({ state: 'detached' })
  await mail(bola.email, /could not find your bank transfer/)
  await announceTransfer(sender)
  await waiting.waitFor()
  await balance(sender).filter({ hasText: '0.00' }).waitFor()
})

test('a transfer that was not announced can be recorded', async () => {
  await using desk = await visitOperator(browser)
  const bola = await person(newcomer('Bola Ige'))
  await region(desk).getByText('Record an unannounced transfer').click()
  await region(desk).getByRole('textbox', { name: 'E-mail' }).fill(bola.email)
  await region(desk).getByRole('button', { name: 'Record' }).click()
  await question(desk, 'Did ₦37,000.00 arrive from Bola Ige?').waitFor()
  await confirm(desk, 'Give 25.00 credits').click()
  await message(desk, 'status', 'Transfer recorded.').waitFor()
  await expect.poll(async () => (await bola.get<{ balance: number }>('/api/credits')).body.balance).toBe(25)
})

test('people can be found, and their credits adjusted, with an entry in the audit', async () => {
  await using desk = await visitOperator(browser)
  const bola = await person(newcomer('Bola Ige'))
  await tab(desk, 'People')
  await region(desk).getByRole('searchbox', { name: 'Search people' }).fill(bola.email)
  const found = row(desk, bola.email)
  await found.getByText('0.00').waitFor()
  await found.getByText('Adjust credits').click()
  await found.getByRole('textbox', { name: 'Credits' }).fill('-5')
  await found.getByRole('textbox', { name: 'Reason' }).fill('for nothing')
  await found.getByRole('button', { name: 'Adjust' }).click()
  await question(desk, 'Take 5.00 credits from Bola Ige?').waitFor()
  await confirm(desk, 'Take 5.00 credits').click()
  await desk.page.getByRole('alert').first().waitFor()
  await found.getByRole('textbox', { name: 'Credits' }).fill('12.5')
  await found.getByRole('button', { name: 'Adjust' }).click()
  const asked = question(desk, 'Give 12.50 credits to Bola Ige?')
  for (const part of [bola.email, 'They have 0.00 credits, and 12.50 afterwards', 'Reason: for nothing'])
    await asked.getByText(part).waitFor()
  await confirm(desk, 'Give 12.50 credits').click()
  await message(desk, 'status', 'Credits adjusted.').waitFor()
  await found.getByText('12.50').waitFor()
  await tab(desk, 'Audit')
  const entries = row(desk, bola.email).filter({ hasText: 'The operator adjusted credits' })
  const done = entries.filter({ hasText: '12.5 credits: for nothing' })
  await done.getByText('Bola Ige').waitFor()
  await done.getByText(/^\w{3}\s\d+,\s20\d\d,\s\d+:\d\d/).waitFor()
  await entries.filter({ hasText: 'Refused: insufficient credits' }).waitFor()
})

test('a delivery is one line of the audit, with song and person; its uploads are shown under All calls', async () => {
  const song = await chargedSong('Written into the audit')
  await using desk = await visitOperator(browser)
  await choose(desk, song)
  await input(desk, 1).setInputFiles(wav('one.wav', 40))
  await input(desk, 2).setInputFiles(wav('two.wav', 40))
  await upload(desk).click()
  await uploadDone(desk)
  await tab(desk, 'Audit')
  const lines = region(desk).getByRole('listitem')
  const delivered = lines.filter({ hasText: 'delivered a song · “Written into the audit”' })
  await delivered.getByText(song.email).waitFor()
  expect(await lines.filter({ hasText: /looked at|uploaded/ }).count()).toBe(0)
  const show = region(desk).getByRole('combobox', { name: 'Show' })
  await show.selectOption({ label: 'Money' })
  await delivered.waitFor({ state: 'detached' })
  await show.selectOption({ label: 'Every call' })
  // dozens of requests in a row are one line
  await lines.filter({ hasText: 'uploaded parts of files' }).first().waitFor()
  const texts = await lines.allInnerTexts()
  const isUpload = (text: string | undefined): boolean => text?.includes('uploaded parts') === true
  expect(texts.filter((text, at) => isUpload(text) && isUpload(texts[at - 1]))).toEqual([])
})

test('an adjustment of more than 1,000 credits asks for the password in its form', async () => {
  const ada = await person(newcomer('Large Amount'))
  await using desk = await visitOperator(browser)
  await tab(desk, 'People')
  await region(desk).getByRole('searchbox', { name: 'Search people' }).fill(ada.email)
  const found = row(desk, ada.email)
  await found.getByText('Adjust credits').click()
  const adjust = found.getByRole('button', { name: 'Adjust' })
  const credits = found.getByRole('textbox', { name: 'Credits' })
  await found.getByRole('textbox', { name: 'Reason' }).fill('a large one')
  await credits.fill('10000.01')
  await adjust.click()
  await message(desk, 'alert', 'One adjustment can be at most 10,000 credits.').waitFor()
  await credits.fill('1500')
  await adjust.click()
  await confirm(desk, 'Give 1500.00 credits').click()
  await message(desk, 'alert', 'An amount of this size also needs the admin password.').waitFor()
  await found.getByLabel('Admin password').fill(studio().operator.password)
  await adjust.click()
  await confirm(desk, 'Give 1500.00 credits').click()
  await message(desk, 'status', 'Credits adjusted.').waitFor()
  await found.getByText('1500.00').waitFor()
  expect(await found.getByLabel('Admin password').count()).toBe(0)
})

test('a card payment can be refunded, which takes its credits back', async () => {
  const bola = await person(newcomer('Bola Ige'))
  await using payer = await visitAs(browser, studio().web, bola)
  await balance(payer).click()
  await topUp(payer, '30', 'pay')
  await payer.page.getByText('30.00 credits were added').waitFor()
  await mail(bola.email, /^Your receipt: 30\.00 credits for \$30\.00$/)

  await using desk = await visitOperator(browser)
  await tab(desk, 'Payments')
  const paid = row(desk, bola.email)
  await paid.getByText('Bola Ige').waitFor()
  await paid.getByText(/paid · .*20\d\d/).waitFor()
  await paid.getByText('Refund').first().click()
  await paid.getByRole('textbox', { name: 'Dollars' }).fill('12')
  await paid.getByRole('button', { name: 'Refund' }).click()
  const asked = question(desk, 'Give back $12.00 to Bola Ige?')
  await asked.getByText(bola.email).waitFor()
  await asked.getByText('12.00 of their 30.00 credits are taken back.').waitFor()
  await confirm(desk, 'Give back $12.00').click()
  await message(desk, 'status', 'Payment refunded.').waitFor()
  await balance(payer).filter({ hasText: '18.00' }).waitFor()
  const told = await mail(bola.email, /^Your payment was refunded: 12\.00 credits were taken back$/)
  expect(told.text).not.toContain('you owe')
})

test('before a refund of spent credits the desk says what its person will owe; afterwards the person reads it in a mail, at home and in the statement', async () => {
  const hauwa = await person(newcomer('Hauwa Jalo'))
  await pay(hauwa, 30)
  for (const style of ['First of two', 'Second of two']) await request(hauwa, 'la', style)
  await using visitor = await visitAs(browser, studio().web, hauwa)
  await using desk = await visitOperator(browser)
  await tab(desk, 'Payments')
  const paid = row(desk, hauwa.email)
  await paid.getByText('Refund').first().click()
  await paid.getByRole('button', { name: 'Refund' }).click()
  const asked = question(desk, 'Give back $30.00 to Hauwa Jalo?')
  await asked.getByText('20.00 of these 30.00 credits are spent; they will owe 20.00.').waitFor()
  await asked.getByText('Without a debt, at most $10.00 can be given back.').waitFor()
  await confirm(desk, 'Give back $30.00').click()
  await message(desk, 'status', 'Payment refunded.').waitFor()

  const told = await mail(hauwa.email, /^Your payment was refunded/)
  for (const part of ['$30.00', '20.00 of them were spent already', 'Owed in all: 20.00 credits'])
    expect(told.text).toContain(part)
  await visitor.page.getByText('You owe 20.00 credits:').waitFor()
  await visitor.page.goto('/statement')
  await visitor.page.getByRole('row', { name: /Payment reversed.*-30\.00\s*\(20\.00 owed\)/ }).waitFor()
})

test('a song that cannot be made is refunded, which its owner sees live and gets by mail', async () => {
  const bola = await person(newcomer('Bola Ige'))
  await give(bola, 10)
  const song = await request(bola, 'la', 'Cannot be made')
  await using owner = await visitAs(browser, studio().web, bola)
  await item(owner, 'Cannot be made').getByRole('button', { name: 'Cooking...' }).waitFor()
  await using desk = await visitOperator(browser)
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

test('a delivered song can be played and sends one mail; a wrong file is replaced without another mail', async () => {
  const bola = await person(newcomer('Bola Ige'))
  await give(bola, 10)
  const style = 'Delivered <b>once</b>'
  const song = await request(bola, 'la', style)
  await using owner = await visitAs(browser, studio().web, bola)
  await using desk = await visitOperator(browser)
  await choose(desk, song)
  await input(desk, 1).setInputFiles(`${FIXTURES}/cbr.mp3`)
  await input(desk, 2).setInputFiles(`${FIXTURES}/cbr.mp3`)
  await upload(desk).click()
  await uploadDone(desk)
  await expect.poll(() => choices(desk).locator(`option[value="${song.id}"]`).count()).toBe(0)
  const ready = await mail(bola.email, /^Your song is ready, Bola$/)
  expect(ready.text).toContain(style)
  expect(ready.html).toContain('Delivered &lt;b&gt;once&lt;/b&gt;')

  await tab(desk, 'Ready songs')
  const delivered = row(desk, style)
  await delivered.getByText('Replace a version').click()
  await delivered.getByRole('combobox', { name: 'Version' }).selectOption({ label: 'Version 2' })
  await delivered
    .getByLabel('New file', { exact: true })
    .setInputFiles({ name: 'note.wav', mimeType: 'audio/wav', buffer: Buffer.from('not a song') })
  await delivered.getByRole('button', { name: 'Replace' }).click()
  await message(desk, 'alert', /^Version 2 \(note\.wav\): This is not an audio file/).waitFor()
  await delivered.getByLabel('New file', { exact: true }).setInputFiles(`${FIXTURES}/tone.flac`)
  await delivered.getByRole('button', { name: 'Replace' }).click()
  await message(desk, 'status', 'Version 2 replaced.').waitFor()
  expect(await delivered.getByLabel('New file', { exact: true }).inputValue()).toBe('')

  await item(owner, style).getByRole('button', { name: 'Download' }).click()
  await owner.page.getByRole('menuitem', { name: 'Version 2' }).click()
  const href = await player(owner).getByRole('link', { name: 'Download' }).getAttribute('href')
  const file = await owner.context.request.get(new URL(href ?? '', studio().web).href)
  expect(file.headers()['content-type']).toBe('audio/flac')
  expect(await mails(bola.email)).toHaveLength(1)
})

test('a song that was fulfilled in another window is neither offered nor selected any more', async () => {
  const song = await chargedSong('Made ready elsewhere')
  await using desk = await visitOperator(browser)
  await choose(desk, song)
  await fulfil(song)
  await expect.poll(() => choices(desk).inputValue()).toBe('')
  expect(await choices(desk).locator(`option[value="${song.id}"]`).count()).toBe(0)
})

test('the queue shows how long each song has waited and whether it is paid; a row selects it, its texts are copied completely', async () => {
  const paid = await chargedSong('Paid for in the queue')
  const lyrics = `${'A line that is longer than what a row of the queue shows\n'.repeat(3)}The end`
  const unpaid = await request(await person(), lyrics, 'Not yet paid in the queue')
  await using desk = await visitOperator(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
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
  expect(await choices(desk).inputValue()).toBe(unpaid.id)
  expect(await queued(unpaid.style).getAttribute('aria-pressed')).toBe('true')
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

test('a delivered song can be played at the desk, and the focus returns to it', async () => {
  const song = await chargedSong('Heard at the desk')
  await fulfil(song)
  await using desk = await visitOperator(browser)
  await tab(desk, 'Ready songs')
  const listen = row(desk, song.email).getByRole('button', { name: 'Play version 2 of Heard at the desk' })
  await listen.click()
  await player(desk).getByRole('button', { name: 'Pause' }).waitFor()
  expect(await player(desk).getByRole('radio', { name: 'Version 2' }).isChecked()).toBe(true)
  await desk.page.keyboard.press('Escape')
  await player(desk).waitFor({ state: 'detached' })
  expect(await listen.evaluate((it) => it === document.activeElement)).toBe(true)
})

test('characters that change the direction of text are marked in names and texts at the desk', async () => {
  const mallory = await person(newcomer('Mallory \u202Eyrollam'))
  await give(mallory, 25)
  const song = await request(mallory, 'la \u2067lyrics', 'style \u202Eelyts')
  await using desk = await visitOperator(browser)
  await choose(desk, song)
  const shown = region(desk)
  await shown.getByText('Mallory \uFFFDyrollam').waitFor()
  await shown.getByText('la \uFFFDlyrics', { exact: true }).waitFor()
  await shown.getByRole('paragraph').getByText('style \uFFFDelyts').waitFor()
  await tab(desk, 'People')
  await row(desk, mallory.email).getByText('Mallory \uFFFDyrollam').waitFor()
  expect(await shown.innerText()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
})
