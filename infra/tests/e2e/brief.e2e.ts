import type { Song } from '@prelude/contracts'
import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { choose, item, message, requestSong, type Visit } from './steps.ts'
import { endSession, newcomer, person, request, studio } from './studio.ts'

/** What a person can say about a song beside lyrics and style. */

const brief = ({ page }: Visit): Locator => page.getByRole('group', { name: 'Brief' })
const field = (visitor: Visit, name: string): Locator => brief(visitor).getByLabel(name, { exact: true })
const text = ({ page }: Visit, name: string): Locator => page.getByRole('textbox', { name })
const create = ({ page }: Visit): Locator => page.getByRole('button', { name: 'Create' })

const TYPED = {
  Genre: 'Highlife',
  Mood: 'tender',
  Tempo: '96',
  Voice: 'choir',
  Language: 'Igbo',
  Reference: 'https://example.test/song',
}

test('a brief survives a reload and a new sign-in, is sent with the song, and nothing of it stays @night', async ({
  visitAs,
}) => {
  const who = newcomer()
  const ada = await person(who)
  const visitor = await visitAs(ada)
  const { page } = visitor
  await text(visitor, 'Lyrics').fill('la la')
  await text(visitor, 'Style').fill('With a brief')
  await brief(visitor).getByText('Brief', { exact: true }).click()
  for (const [name, value] of Object.entries(TYPED)) await field(visitor, name).fill(value)
  await expect(brief(visitor).getByRole('combobox', { name: 'Genre' })).toHaveValue('Highlife')
  // offered ones are taken and given back, and others typed
  const horns = brief(visitor).getByRole('button', { name: 'horns' })
  await horns.click()
  await brief(visitor).getByRole('button', { name: 'strings' }).click()
  await field(visitor, 'Instruments').press('End')
  await field(visitor, 'Instruments').pressSequentially(', kora')
  await horns.click()
  await expect(horns).toHaveAttribute('aria-pressed', 'false')
  await brief(visitor).getByRole('checkbox', { name: 'Keep my words exactly' }).check()
  await page.reload()
  await expect(field(visitor, 'Instruments')).toHaveValue('strings, kora')
  const held = 'Highlife · tender · 96 BPM · choir · Igbo · strings, kora'
  await expect(brief(visitor).locator('summary')).toHaveText(new RegExp(`^Brief ${held}`))

  await endSession(ada)
  await message(visitor, 'alert', 'Please sign in first.').waitFor()
  const again = await person(who)
  const [name = '', value = ''] = again.cookie.split('=')
  await visitor.context.addCookies([{ name, value, url: studio().web }])
  await page.goto('/')
  for (const [label, typed] of Object.entries(TYPED)) await expect(field(visitor, label)).toHaveValue(typed)
  await create(visitor).click()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  const { body } = await again.get<{ items: Song[] }>('/api/songs')
  expect(body.items.map((song) => song.brief)).toEqual([
    {
      genre: 'Highlife',
      mood: 'tender',
      tempoBpm: 96,
      voice: 'choir',
      language: 'Igbo',
      instruments: ['strings', 'kora'],
      reference: 'https://example.test/song',
      keepWords: true,
    },
  ])
  await expect(field(visitor, 'Genre')).toHaveCount(0)
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => /draft/.test(key)))).toEqual(
    [],
  )
})

test('a song that is asked for again while another request is sent stays in the form, and what was sent does not come back @night', async ({
  visitAs,
}) => {
  const ada = await person()
  await request(ada, 'Old words', 'Asked before')
  const visitor = await visitAs(ada)
  const { page } = visitor
  const held = Promise.withResolvers<void>()
  await page.route('**/api/songs', async (route) => {
    await held.promise
    await route.fallback()
  })
  await requestSong(visitor, 'Being sent', 'Asked now')
  await choose(item(visitor, 'Asked before'), 'Ask again')
  await expect(text(visitor, 'Lyrics')).toHaveValue('Old words')
  await page.getByRole('button', { name: 'Put back' }).waitFor()
  held.resolve()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  await page.getByRole('button', { name: 'Put back' }).waitFor({ state: 'detached' })
  await expect(text(visitor, 'Lyrics')).toHaveValue('Old words')
  await page.reload()
  await expect(text(visitor, 'Lyrics')).toHaveValue('Old words')
  await create(visitor).click()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  await expect(text(visitor, 'Lyrics')).toHaveValue('')
  const { body } = await ada.get<{ items: Song[] }>('/api/songs')
  expect(body.items.map(({ lyrics }) => lyrics)).toEqual(['Old words', 'Being sent', 'Old words'])
})

test('an error of the brief is shown at its field, and goes once it is mended @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person(), { viewport: { width: 360, height: 740 } })
  await text(visitor, 'Lyrics').fill('la')
  await text(visitor, 'Style').fill('folk')
  const summary = brief(visitor).getByText('Brief', { exact: true })
  await summary.click()
  for (const [name, wrong, right, says] of [
    ['Tempo', '400', '140', 'A whole number from 40 to 240.'],
    ['Reference', 'http://example.test', 'https://example.test', 'An address that begins with https://'],
    ['Genre', 'x'.repeat(101), 'x'.repeat(100), 'At most 100 characters.'],
    ['Instruments', 'a,'.repeat(13), 'a,'.repeat(12), 'At most 12 instruments.'],
  ] as const) {
    await field(visitor, name).fill(wrong)
    // closed again, the field with the error is opened and has the focus
    await summary.click()
    await create(visitor).click()
    const shown = field(visitor, name)
    await expect
      .poll(() =>
        shown.evaluate((one) => [
          one === document.activeElement,
          one.getAttribute('aria-invalid'),
          document.querySelector(`[id="${one.getAttribute('aria-describedby')}"]`)?.textContent,
        ]),
      )
      .toEqual([true, 'true', says])
    await shown.fill(right)
    await expect(shown).not.toHaveAttribute('aria-invalid')
  }
  await create(visitor).click()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  expect(visitor.errors).toEqual([])
})

test('a part of the song begins at the cursor, and the keyboard undoes it @night', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  const lyrics = text(visitor, 'Lyrics')
  const press = (name: string): Promise<void> => visitor.page.getByRole('button', { name }).click()
  await press('Verse')
  await visitor.page.keyboard.type('First line')
  await press('Chorus')
  await visitor.page.keyboard.type('Second line')
  const both = '[Verse]\nFirst line\n[Chorus]\nSecond line'
  await expect(lyrics).toHaveValue(both)
  // a selection is not replaced
  await lyrics.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(8, 18))
  await press('Bridge')
  await expect(lyrics).toHaveValue('[Verse]\n[Bridge]\nFirst line\n[Chorus]\nSecond line')
  await visitor.page.keyboard.press('Control+Z')
  await expect(lyrics).toHaveValue(both)
  expect(visitor.errors).toEqual([])
})
