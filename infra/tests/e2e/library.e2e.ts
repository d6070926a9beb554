import type { Song } from '@prelude/contracts'
import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { album, choose, entry, item, message, player, type Visit } from './steps.ts'
import { fulfil, give, type Person, person, request } from './studio.ts'

/** How an owner keeps songs. */

const button = (within: Locator, name: string): Locator => within.getByRole('button', { name, exact: true })
const main = ({ page }: Visit): Locator => page.getByRole('main')
const titles = (visitor: Visit): Promise<string[]> =>
  album(visitor).getByRole('listitem').getByRole('link').allTextContents()
const withBrief = async (ada: Person, style: string): Promise<Song> => {
  const brief = { genre: 'Highlife', tempoBpm: 96, instruments: ['kora', 'bass'], keepWords: true }
  return (await ada.post<Song>('/api/songs', { lyrics: 'Old words', style, brief })).body
}

test('a title is given by keyboard, shown in every tab, and kept or left', async ({ visitAs }) => {
  const ada = await person()
  const song = await request(ada, 'la', 'Slow folk')
  const visitor = await visitAs(ada)
  const { page } = visitor
  const other = await visitor.context.newPage()
  await other.goto(`/songs/${song.id}`)
  const shown = item(visitor, 'Slow folk')
  const more = button(shown, 'More')
  const title = shown.getByRole('textbox', { name: 'Title' })
  const rename = async (): Promise<void> => {
    await page.keyboard.press('Enter')
    await expect(entry(shown, 'Cancel request').or(entry(shown, 'Favourite')).first()).toBeFocused()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await title.waitFor()
  }
  await more.focus()
  await rename()
  await page.keyboard.type('Left again')
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
  await rename()
  await page.keyboard.type('x'.repeat(121))
  await page.keyboard.press('Enter')
  await shown.getByRole('alert').filter({ hasText: 'At most 120 characters.' }).waitFor()
  await title.fill('  Rain  ')
  await page.keyboard.press('Enter')
  await shown.getByRole('link', { name: 'Rain', exact: true }).waitFor()
  await shown.getByText('Slow folk', { exact: true }).waitFor()
  await button(shown, 'Copy style').waitFor()
  await other.getByRole('heading', { level: 1, name: 'Rain' }).waitFor()
  expect((await ada.get<Song>(`/api/songs/${song.id}`)).body.title).toBe('Rain')
  await button(other.getByRole('main'), 'Rename').click()
  await other.getByRole('textbox', { name: 'Title' }).fill('')
  await other.keyboard.press('Enter')
  await shown.getByRole('link', { name: 'Slow folk' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('a song is a favourite, has a version that is preferred, and both are played and shown @night', async ({
  visitAs,
}) => {
  const ada = await person()
  await give(ada, 10)
  const song = await fulfil(await request(ada, 'la', 'To be kept'))
  const visitor = await visitAs(ada)
  const { page } = visitor
  const kept = item(visitor, 'To be kept')
  await button(kept, 'More').click()
  await expect(entry(kept, 'Favourite')).not.toBeChecked()
  await entry(kept, 'Favourite').click()
  await kept.getByRole('img', { name: 'Favourite' }).waitFor()
  await button(kept, 'More').click()
  await expect(entry(kept, 'Favourite')).toBeChecked()
  await page.keyboard.press('Escape')
  await item(visitor, 'To be kept').getByRole('link', { name: 'To be kept' }).click()
  await expect(button(main(visitor), 'Favourite')).toHaveAttribute('aria-pressed', 'true')
  const prefer = (n: number): Locator => button(main(visitor), `Prefer Version ${n}`)
  await prefer(1).click()
  await expect(prefer(1)).toHaveAttribute('aria-pressed', 'true')
  await prefer(2).click()
  await expect(prefer(2)).toHaveAttribute('aria-pressed', 'true')
  await expect(prefer(1)).toHaveAttribute('aria-pressed', 'false')
  const { body } = await ada.get<Song>(`/api/songs/${song.id}`)
  expect([body.favourite, body.preferred]).toEqual([true, 2])
  await page.goto('/')
  await button(item(visitor, 'To be kept'), 'Play To be kept').click()
  await expect(player(visitor).getByRole('radio', { name: 'Version 2' })).toBeChecked()
  expect(visitor.errors).toEqual([])
})

test('back from a song, and after a reload, the album shows what was searched; a link to it shows all @night', async ({
  visitAs,
}) => {
  const ada = await person()
  const { id } = await request(ada, 'la', 'Folk one')
  for (const style of ['Folk two', 'Jazz']) await request(ada, 'la', style)
  // by title those without one are last
  await ada.send('PATCH', `/api/songs/${id}`, { title: 'Folk one' })
  const visitor = await visitAs(ada)
  const { page } = visitor
  const search = page.getByRole('searchbox', { name: 'Search my album' })
  const sort = album(visitor).getByRole('combobox', { name: 'Sort' })
  await search.fill('folk')
  await sort.selectOption({ label: 'By title' })
  const found = async (): Promise<void> =>
    await expect.poll(() => titles(visitor)).toEqual(['Folk one', 'Folk two'])
  await found()
  await item(visitor, 'Folk two').getByRole('link', { name: 'Folk two' }).click()
  await page.getByRole('heading', { level: 1, name: 'Folk two' }).waitFor()
  for (const again of [() => page.goBack(), () => page.reload()]) {
    await again()
    await found()
    await expect(search).toHaveValue('folk')
    await expect(sort).toHaveValue('title')
  }
  await page.goto('/statement')
  await page.getByRole('link', { name: 'Go Home' }).click()
  await expect.poll(() => titles(visitor)).toEqual(['Jazz', 'Folk two', 'Folk one'])
  await expect(search).toHaveValue('')
})

test('a brief is on the song’s page and at the desk, and asking again fills the form with it @night', async ({
  visitAs,
  visitOperator,
}) => {
  const ada = await person()
  const song = await withBrief(ada, 'Asked before')
  const visitor = await visitAs(ada)
  const { page } = visitor
  const lyrics = page.getByRole('textbox', { name: 'Lyrics' })
  await lyrics.fill('Being written')
  await item(visitor, 'Asked before').getByRole('link', { name: 'Asked before' }).click()
  const words = page.getByRole('region', { name: 'Words' })
  await words.getByRole('heading', { name: 'Brief' }).waitFor()
  expect(await words.getByRole('definition').allTextContents()).toEqual([
    'Highlife',
    '96 BPM',
    'kora, bass',
    'yes',
  ])
  await choose(main(visitor), 'Ask again')
  await message(visitor, 'status', 'The form holds the words').waitFor()
  await expect(lyrics).toBeFocused()
  // once: a reload does not lead there again
  await page.reload()
  const field = (name: string): Locator => page.getByRole('group', { name: 'Brief' }).getByLabel(name)
  await expect(lyrics).toHaveValue('Old words')
  await expect(lyrics).not.toBeFocused()
  await expect(field('Tempo')).toHaveValue('96')
  await expect(field('Instruments')).toHaveValue('kora, bass')
  await expect(field('Keep my words exactly')).toBeChecked()
  await page.getByRole('button', { name: 'Put back' }).click()
  await expect(lyrics).toHaveValue('Being written')
  await expect(field('Tempo')).toHaveCount(0)
  // from the album, where the form is on the same page
  await choose(item(visitor, 'Asked before'), 'Ask again')
  await expect(lyrics).toHaveValue('Old words')
  await page.getByRole('button', { name: 'Create' }).click()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  await expect(lyrics).toHaveValue('Being written')
  const { body } = await ada.get<{ items: Song[] }>('/api/songs')
  expect(body.items.map(({ lyrics: text, brief }) => [text, brief])).toEqual([
    ['Old words', song.brief],
    ['Old words', song.brief],
  ])
  expect(visitor.errors).toEqual([])

  const desk = await visitOperator()
  await desk.page.goto(`/operator?song=${song.id}`)
  await desk.page.getByText('96 BPM').waitFor()
  expect(desk.errors).toEqual([])
})

test('the album shows favourites or archived songs, finds a title, and is sorted by it @night', async ({
  visitAs,
}) => {
  const ada = await person()
  for (const title of ['Boats', null, 'Ashes']) {
    const song = await request(ada, 'la', `Style of ${title}`)
    if (title === 'Ashes') await fulfil(song)
    await ada.send('PATCH', `/api/songs/${song.id}`, { title })
  }
  const visitor = await visitAs(ada)
  const { page } = visitor
  const select = async (name: string, option: string): Promise<void> =>
    void (await album(visitor).getByRole('combobox', { name }).selectOption({ label: option }))
  await expect.poll(() => titles(visitor)).toEqual(['Ashes', 'Style of null', 'Boats'])
  await select('Sort', 'By title')
  await expect.poll(() => titles(visitor)).toEqual(['Ashes', 'Boats', 'Style of null'])
  // a new title, given in another tab, moves the song
  const { body } = await ada.get<{ items: Song[] }>('/api/songs?q=Ashes')
  await ada.send('PATCH', `/api/songs/${body.items[0]?.id}`, { title: 'Cinders' })
  await expect.poll(() => titles(visitor)).toEqual(['Boats', 'Cinders', 'Style of null'])

  await choose(item(visitor, 'Boats'), 'Favourite')
  await choose(item(visitor, 'Cinders'), 'Archive')
  await message(visitor, 'status', 'Archived.').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => titles(visitor)).toEqual(['Boats', 'Cinders', 'Style of null'])
  await choose(item(visitor, 'Cinders'), 'Archive')
  await expect.poll(() => titles(visitor)).toEqual(['Boats', 'Style of null'])
  await select('Show', 'Favourites')
  await expect.poll(() => titles(visitor)).toEqual(['Boats'])
  await select('Show', 'Archived')
  await expect.poll(() => titles(visitor)).toEqual(['Cinders'])
  await choose(item(visitor, 'Cinders'), 'Back to the album')
  await album(visitor).getByText('No matching requests.').waitFor()
  await select('Show', 'All')
  await page.getByRole('searchbox', { name: 'Search my album' }).fill('cinder')
  await expect.poll(() => titles(visitor)).toEqual(['Cinders'])
  expect(visitor.errors).toEqual([])
})
