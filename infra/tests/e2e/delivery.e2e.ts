import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from './fixtures.ts'
import {
  bar,
  chargedSong,
  choices,
  choose,
  holdChunks,
  input,
  region,
  upload,
  uploadDone,
  wav,
} from './operator-steps.ts'
import { balance, banner, message, type Visit } from './steps.ts'
import { FIXTURES, newcomer, person, request } from './studio.ts'

/** What the operator's desk does with files and songs is what the operator sees. */

const LARGE = [wav('one.wav', 60), wav('two.wav', 61)] as const

async function chooseFiles(visitor: Visit): Promise<void> {
  for (const [index, name] of ['cbr.mp3', 'tone.flac'].entries())
    await input(visitor, (index + 1) as 1 | 2).setInputFiles(`${FIXTURES}/${name}`)
}

async function startLargeUpload(visitor: Visit): Promise<void> {
  for (const n of [1, 2] as const) await input(visitor, n).setInputFiles(LARGE[n - 1]!)
  await upload(visitor).click()
  await bar(visitor, 1).waitFor()
}

test('song, files and gift are locked while an upload runs; on another page it goes on with its controls', async ({
  visitOperator,
}) => {
  const song = await request(await person(newcomer()), 'la', 'Locked')
  const visitor = await visitOperator()
  const held = await holdChunks(visitor)
  await choose(visitor, song)
  const gift = region(visitor).getByRole('checkbox', { name: /gift/ })
  await gift.check()
  await startLargeUpload(visitor)
  await expect(choices(visitor)).toBeDisabled()
  await expect(gift).toBeDisabled()
  await expect(gift).toBeChecked()
  for (const n of [1, 2] as const) await expect(input(visitor, n)).toBeDisabled()
  await region(visitor).getByRole('link', { name: 'Operations' }).click()
  await region(visitor).waitFor({ state: 'detached' })
  const { page } = visitor
  await page.getByRole('progressbar', { name: 'Version 2' }).waitFor()
  // by key: the controls move while the page loads
  await page.getByRole('button', { name: 'Pause Version 1' }).press('Enter')
  await page.getByRole('button', { name: 'Resume Version 1' }).press('Enter')
  // the message that it is under way does not cover them
  await page.getByRole('button', { name: 'Pause Version 2' }).click({ trial: true })
  await held.lose() // each chunk is sent again
  await banner(visitor).getByRole('link').first().click()
  await uploadDone(visitor)
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
})

test('files and a gift belong to the song that was selected when they were chosen @night', async ({
  visitOperator,
}) => {
  const unpaid = await request(await person(newcomer()), 'la', 'A gift for one')
  const other = await request(await person(newcomer()), 'la', 'Never a gift')
  const visitor = await visitOperator()
  await choose(visitor, unpaid)
  await chooseFiles(visitor)
  const gift = region(visitor).getByRole('checkbox', { name: /gift/ })
  await gift.check()
  await choose(visitor, other)
  await message(visitor, 'status', /chosen files have been removed/).waitFor()
  await expect(gift).not.toBeChecked()
  for (const n of [1, 2] as const) await expect(input(visitor, n)).toHaveValue('')
  await choose(visitor, unpaid)
  await expect(gift).not.toBeChecked()
})

test('a typed reason does not pass to another song @night', async ({ visitOperator }) => {
  const [first, second] = [await chargedSong('With a reason'), await chargedSong('Without one')]
  const visitor = await visitOperator()
  const reason = region(visitor).getByRole('textbox', { name: 'Reason (the customer reads it)' })
  const open = () => region(visitor).getByText('Refund the credits instead').click()
  await choose(visitor, first)
  await open()
  await reason.fill('only for the first')
  await choose(visitor, second)
  await open()
  await expect(reason).toHaveValue('')
})

test('a new build does not reload the page away under chosen files @night', async ({ visitOperator }) => {
  const visitor = await visitOperator()
  const { page } = visitor
  await input(visitor, 1).setInputFiles(wav('chosen.wav', 31))
  await page.route('**/assets/top-up-dialog-*.js', (route) => route.abort())
  await balance(visitor).click()
  await message(visitor, 'alert', 'Something went wrong.').waitFor()
  await region(visitor).getByText('chosen.wav').waitFor()
  // without them it does
  await input(visitor, 1).setInputFiles([])
  const loaded = page.waitForEvent('load')
  await balance(visitor).click()
  await loaded
})

test('a browser whose storage is full uploads large files all the same @night', async ({ visitOperator }) => {
  const song = await chargedSong('Storage is full')
  const visitor = await visitOperator()
  await visitor.page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('no room', 'QuotaExceededError')
    }
  })
  await choose(visitor, song)
  await startLargeUpload(visitor)
  await uploadDone(visitor)
})

for (const size of ['small', 'large'] as const)
  test(`a ${size} file that changed on disk after it was chosen is named at once @night`, async ({
    visitOperator,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'prelude-changed-'))
    const path = join(folder, 'take.wav')
    const seconds = size === 'small' ? 2 : 60
    await writeFile(path, wav('take.wav', seconds).buffer)
    const song = await chargedSong(`Changed ${size}`)
    const visitor = await visitOperator()
    await choose(visitor, song)
    await input(visitor, 1).setInputFiles(path)
    await input(visitor, 2).setInputFiles(`${FIXTURES}/tone.flac`)
    // the browser has read when it was changed, in whole seconds, before it is changed again
    await input(visitor, 1).evaluate((one) => (one as HTMLInputElement).files?.[0]?.lastModified)
    await writeFile(path, wav('take.wav', seconds + 1).buffer)
    const later = new Date(Date.now() + 60_000)
    await utimes(path, later, later)
    await upload(visitor).click()
    await message(visitor, 'alert', 'take.wav has changed since it was chosen.').waitFor()
    await rm(folder, { recursive: true })
  })
