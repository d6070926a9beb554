import { readFile } from 'node:fs/promises'
import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { button, desk, openPage, paid, region, steps } from './owner-steps.ts'
import { choose, identify, item, listen, message, player, type Visit } from './steps.ts'
import { endSession, fulfil, tone } from './studio.ts'

/** A song's own page: its words, its versions, and what should change in them. */

/** Names of what is typed and not sent, as this tab keeps it. */
const kept = ({ page }: Visit): Promise<string[]> =>
  page.evaluate(() => Object.keys(sessionStorage).filter((key) => /^prelude-(changes|words)/.test(key)))

test('the words of a request are read whole and corrected until somebody starts on it', async ({
  visitAs,
}) => {
  const lyrics = `A first line\n${'and another one\n'.repeat(5)}`
  const { ada, song } = await paid('Words with a mistkae', lyrics)
  const visitor = await visitAs(ada)
  await item(visitor, 'Words with').getByRole('link', { name: 'Words with a mistkae' }).click()
  const words = region(visitor, 'Words')
  await words.getByText('A first line\nand another one').waitFor()
  await button(words, 'Correct the words').click()
  await words.getByRole('textbox', { name: 'Style' }).fill(' ')
  await button(words, 'Save').click()
  await words.getByRole('alert').filter({ hasText: 'Please provide lyrics and style of song.' }).waitFor()
  await words.getByRole('textbox', { name: 'Style' }).fill('Words without one')
  await button(words, 'Save').click()
  await visitor.page.getByRole('heading', { level: 1, name: 'Words without one' }).waitFor()
  const { body } = await ada.get<Song>(`/api/songs/${song.id}`)
  expect(body).toMatchObject({ style: 'Words without one', lyrics })
  await button(words, 'Correct the words').click()
  await words.getByRole('textbox', { name: 'Style' }).fill('Words from here')
  // what is not touched here is as it was corrected elsewhere
  await ada.send('PATCH', `/api/songs/${song.id}`, { lyrics: 'Lyrics from there' })
  await expect(words.getByRole('textbox', { name: 'Lyrics' })).toHaveValue('Lyrics from there')
  await button(words, 'Save').click()
  await visitor.page.getByRole('heading', { level: 1, name: 'Words from here' }).waitFor()
  const corrected = await ada.get<Song>(`/api/songs/${song.id}`)
  expect(corrected.body).toMatchObject({ style: 'Words from here', lyrics: 'Lyrics from there' })
  await button(words, 'Correct the words').click()
  await words.getByRole('textbox', { name: 'Style' }).fill('Words too late')
  await desk(song, 'start')
  await words.getByText('The words can no longer be corrected.').waitFor()
  await button(words, 'Save').waitFor({ state: 'detached' })
  await expect(words.getByRole('textbox', { name: 'Style' })).toHaveValue('Words too late')
  await button(words, 'Leave as it was').click()
  await words.getByText('Words from here').waitFor()
  await expect(button(words, 'Correct the words')).toHaveCount(0)
  await expect.poll(() => steps(visitor)).toEqual(['requested', 'paid', 'in the studio'])
  expect(await kept(visitor)).toEqual([])
})

test('a correction that is not saved survives a reload, a link and the end of the session; leaving it and signing out remove it @night', async ({
  visitAs,
}) => {
  const { ada, song } = await paid('To be corrected')
  const visitor = await visitAs(ada)
  const { page } = visitor
  await openPage(visitor, song)
  const words = region(visitor, 'Words')
  const style = words.getByRole('textbox', { name: 'Style' })
  const typed = async (text: string): Promise<void> => {
    await expect(style).toHaveValue(text)
  }
  await button(words, 'Correct the words').click()
  await expect(style).toBeFocused()
  await style.fill('Half a corr')
  await page.reload()
  await typed('Half a corr')
  await page.getByRole('main').getByRole('link', { name: 'My Album' }).click()
  await item(visitor, 'To be corrected').getByRole('link', { name: 'To be corrected' }).click()
  await typed('Half a corr')

  await endSession(ada)
  await message(visitor, 'alert', 'Please sign in first.').waitFor()
  await message(visitor, 'status', 'What you typed is kept').waitFor()
  const popup = page.waitForEvent('popup')
  await button(page.getByRole('main'), 'Sign in').click()
  await identify(await popup, ada)
  await typed('Half a corr')

  await button(words, 'Leave as it was').click()
  await words.getByText('To be corrected').waitFor()
  expect(await kept(visitor)).toEqual([])
  await button(words, 'Correct the words').click()
  await style.fill('A secret')
  await expect.poll(() => kept(visitor)).toHaveLength(1)
  await button(page.getByRole('banner'), 'Ada').click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await button(page.getByRole('main'), 'Sign in').waitFor()
  expect(await kept(visitor)).toEqual([])
})

test('changes are noted by position and version, survive a reload, are sent once, and both takes play', async ({
  visitAs,
}) => {
  const { ada, song } = await paid('Nearly right')
  await fulfil(song)
  const visitor = await visitAs(ada)
  const { page } = visitor
  const audioOn = await listen(visitor)
  const playing = () => audioOn(page)
  await page.reload()
  await item(visitor, 'Nearly right')
    .getByText(/Changes until \w+day, /)
    .waitFor()
  await choose(item(visitor, 'Nearly right'), 'Ask for changes')
  const changes = region(visitor, 'Changes')
  const slider = changes.getByRole('slider', { name: 'Position' })
  const note = changes.getByRole('textbox', { name: 'Note' })
  const notes = changes.getByRole('list', { name: 'Notes' }).getByRole('listitem')
  await expect.poll(async () => Number(await slider.getAttribute('max'))).toBe(30_000)

  // first the words, then the position; then the other way round
  await slider.fill('4000')
  await note.fill('The voice louder')
  await button(changes, 'Add note here').click()
  await notes.filter({ hasText: 'Version 1, 0:04' }).getByText('The voice louder').waitFor()
  await changes.getByRole('radio', { name: 'Version 2' }).check({ force: true })
  await expect(slider).toHaveAttribute('max', '30000')
  for (const [key, positionMs] of [
    ['End', '30000'],
    ['PageDown', '0'],
    ['ArrowRight', '5000'],
    ['ArrowUp', '10000'],
    ['ArrowLeft', '5000'],
  ] as const) {
    await slider.press(key)
    await expect(slider).toHaveValue(positionMs)
  }
  await changes.getByRole('button', { name: 'Add note here', exact: true }).click()
  await note.fill('Another ending')
  await button(changes, 'For the whole version').click()
  await note.fill('Slower')
  await page.keyboard.press('Enter')
  await expect(note).toHaveValue('')
  await expect(notes).toHaveCount(3)

  await page.reload()
  await expect(notes).toHaveCount(3)
  await button(notes.filter({ hasText: 'Another ending' }), 'Edit').click()
  await note.fill('A longer ending')
  await button(notes.filter({ hasText: 'Slower' }), 'Remove').click()
  await expect(notes).toHaveCount(2)

  // at the playing position, by keyboard
  await button(changes, 'Play').focus()
  await page.keyboard.press('Enter')
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/2` }])
  await button(changes, 'Pause').click()
  await expect.poll(playing).toEqual([])

  await button(changes, 'Send changes').click()
  await message(visitor, 'status', 'Sent.').waitFor()
  await changes.getByText(/^Asked for/).waitFor()
  expect(await notes.allTextContents()).toEqual([
    'Version 1, 0:04The voice louder',
    'Version 2, 0:05A longer ending',
  ])
  await expect(button(page.getByRole('main'), 'Ask for changes')).toHaveCount(0)
  const { body } = await ada.get<Song>(`/api/songs/${song.id}`)
  expect(body.changes?.notes).toEqual([
    { version: 1, atMs: 4_000, text: 'The voice louder' },
    { version: 2, atMs: 5_000, text: 'A longer ending' },
  ])
  await expect.poll(() => kept(visitor)).toEqual([])

  const form = new FormData()
  form.set('version2', new File([tone(20, 330)], 'longer.wav'))
  await desk(song, 'changes', form)
  const versions = region(visitor, 'Versions')
  await button(versions, 'Play Version 2, take 1').click()
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/2` }])
  await expect(player(visitor).getByRole('link', { name: 'Download' })).toHaveAttribute(
    'href',
    `/api/songs/${song.id}/versions/2?take=1`,
  )
  await player(visitor).getByText('Take 1').waitFor()
  await button(versions, 'Play Version 2').first().click()
  await expect(player(visitor).getByRole('link', { name: 'Download' })).toHaveAttribute(
    'href',
    `/api/songs/${song.id}/versions/2`,
  )
  await button(player(visitor), 'Close').click()

  await expect(page.getByText(/Changes until/)).toHaveCount(0)
  const accept = button(page.getByRole('main'), 'Accept')
  const asked = page.getByRole('dialog', { name: 'Accept this song?' })
  await accept.click()
  await button(asked, 'Not yet').click()
  await accept.click()
  await button(asked, 'Accept').click()
  await message(visitor, 'status', 'Accepted.').waitFor()
  await expect
    .poll(() => steps(visitor))
    .toEqual(['requested', 'paid', 'delivered', 'changes asked for', 'changes delivered', 'accepted'])
  await expect(button(page.getByRole('main'), 'Accept')).toHaveCount(0)
  expect(visitor.errors).toEqual([])
})

test('changes without a text are not sent, and signing out removes what was written @night', async ({
  visitAs,
}) => {
  const { ada, song } = await paid('To be written')
  await fulfil(song, 5)
  const visitor = await visitAs(ada)
  await openPage(visitor, song)
  const { page } = visitor
  await button(page.getByRole('main'), 'Ask for changes').click()
  const changes = region(visitor, 'Changes')
  await button(changes, 'Send changes').click()
  const mistake = changes.getByRole('alert').filter({ hasText: 'Write at least one first.' })
  const first = await mistake.elementHandle()
  // pressed again, it is a new alert, which is announced again
  await button(changes, 'Send changes').click()
  await expect.poll(() => first?.evaluate((alert) => alert.isConnected)).toBe(false)
  await mistake.waitFor()
  await button(changes, 'Add note here').click()
  await button(changes, 'Send changes').click()
  await changes.getByRole('alert').filter({ hasText: 'One is still empty' }).waitFor()
  // a text over the limit is counted and kept, not cut
  await changes.getByRole('textbox', { name: 'Note' }).fill('🎵'.repeat(501))
  await changes.getByRole('listitem').getByText('1 character too many').waitFor()
  await button(changes, 'Send changes').click()
  await changes.getByRole('alert').filter({ hasText: 'Some notes cannot be sent' }).waitFor()
  expect((await ada.get<Song>(`/api/songs/${song.id}`)).body.changes).toBeNull()
  expect(await kept(visitor)).toHaveLength(1)
  await page.getByRole('banner').getByRole('button', { name: 'Ada' }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await page.getByText('Please sign in first.').waitFor()
  expect(await kept(visitor)).toEqual([])
})

test('the player plays on when changes are sent and when the page is left, which pauses what the form plays @night', async ({
  visitAs,
}) => {
  const { ada, song } = await paid('Two sounds')
  await fulfil(song)
  const visitor = await visitAs(ada)
  const { page } = visitor
  const audioOn = await listen(visitor)
  const isPlaying = async (): Promise<boolean> => (await audioOn(page)).length > 0
  await page.reload()
  const open = (): Promise<void> =>
    item(visitor, 'Two sounds').getByRole('link', { name: 'Two sounds' }).click()
  const leave = async (): Promise<void> => {
    await page.getByRole('main').getByRole('link', { name: 'My Album' }).click()
    await item(visitor, 'Two sounds').waitFor()
  }
  await open()
  await button(region(visitor, 'Versions'), 'Play Version 1').click()
  await expect.poll(isPlaying).toBe(true)
  await button(page.getByRole('main'), 'Ask for changes').click()
  const changes = region(visitor, 'Changes')
  const note = changes.getByRole('textbox', { name: 'Note' })
  await note.fill('Slower')
  await leave()
  expect(await isPlaying()).toBe(true)
  await open()

  await button(changes, 'Play').click()
  await button(player(visitor), 'Play').waitFor()
  await button(changes, 'Pause').waitFor()
  await leave()
  expect(await isPlaying()).toBe(false)
  await open()

  await player(visitor).getByRole('button', { name: 'Play', exact: true }).click()
  await expect.poll(isPlaying).toBe(true)
  await button(changes, 'Send changes').click()
  await changes.getByText(/^Asked for/).waitFor()
  expect(await isPlaying()).toBe(true)
  expect(visitor.errors).toEqual([])
})

test('everything about a song is saved as one file @night', async ({ visitAs }) => {
  const { ada, song } = await paid('All of it')
  await fulfil(song, 1)
  const visitor = await visitAs(ada)
  await openPage(visitor, song)
  const saving = visitor.page.waitForEvent('download')
  await visitor.page.getByRole('link', { name: 'Download everything (ZIP)' }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe('All of it.zip')
  expect((await readFile(await saved.path())).subarray(0, 2).toString()).toBe('PK')
})
