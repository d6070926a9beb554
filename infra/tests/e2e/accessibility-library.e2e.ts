import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { looker } from './inspect.ts'
import { choose, item } from './steps.ts'
import { fulfil, give, newcomer, person } from './studio.ts'

/** Accessibility of the brief, of a song that is kept, and of its links: narrow and wide, light and dark. */

test('the brief, the title of a song and its links, in every state @night', async ({ visitAs }) => {
  const ada = await person(newcomer('Ada Obi'))
  await give(ada, 10)
  const brief = {
    genre: 'Highlife',
    mood: 'tender',
    tempoBpm: 96,
    instruments: ['kora', 'acoustic guitar'],
    reference: `https://example.test/${'long'.repeat(30)}`,
    keepWords: true,
  }
  const { id } = (
    await ada.post<Song>('/api/songs', { lyrics: 'Paper boats', style: 'Acoustic folk, fingerpicked', brief })
  ).body
  await expect.poll(async () => (await ada.get<Song>(`/api/songs/${id}`)).body.charge).toBe('charged')
  const { body: song } = await ada.get<Song>(`/api/songs/${id}`)
  await fulfil(song)
  await ada.send('PATCH', `/api/songs/${id}`, { title: 'Paper boats', favourite: true, preferred: 2 })
  await ada.post(`/api/songs/${id}/shares`, { lyrics: true, expiresAt: Date.now() + 86_400_000 })
  const visitor = await visitAs(ada)
  const { look, done } = looker(visitor)
  const { page } = visitor
  const group = page.getByRole('group', { name: 'Brief' })
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('la')
  await page.getByRole('textbox', { name: 'Style' }).fill('folk')
  await group.getByText('Brief', { exact: true }).click()
  await group.getByLabel('Tempo').fill('fast')
  await group.getByLabel('Reference').fill('a song')
  await group.getByRole('button', { name: 'horns' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await group.getByText('A whole number').waitFor()
  await look('a brief with errors')
  await item(visitor, 'Paper boats').getByRole('button', { name: 'More' }).click()
  await look('the menu of a song')
  await page.keyboard.press('Escape')
  await choose(item(visitor, 'Paper boats'), 'Rename')
  await page.getByRole('textbox', { name: 'Title' }).fill('x'.repeat(121))
  await look('a title that is too long')
  await page.goto(`/songs/${id}`)
  await page.getByRole('heading', { name: 'Brief' }).waitFor()
  await look('the page of a song with a brief and a title')
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await dialog.getByRole('button', { name: 'Make link' }).click()
  await dialog.getByRole('textbox', { name: 'Link' }).waitFor()
  await dialog.getByRole('button', { name: 'End link' }).nth(1).click()
  await page.getByRole('dialog', { name: 'End this link?' }).getByRole('button', { name: 'End link' }).click()
  await dialog.getByText(/ended/).first().waitFor()
  await look('the links to a song')
  done()
})
