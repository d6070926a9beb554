import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { chargedSong, openDesk, openSong, requestRow, songNow } from './operator-steps.ts'
import { expectAskedBeforeLeaving, message, type Visit } from './steps.ts'

/** Nothing that is typed into the internal note of `/operator` is lost. */

const noteOf = (desk: Visit, song: Song) =>
  openSong(desk, song).getByRole('textbox', { name: 'Internal note' })

test('the internal note is saved by one request at a time; what is typed meanwhile stays, and is saved after it @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Typed during a save')
  const desk = await visitOperator()
  await openDesk(desk, song)
  const note = noteOf(desk, song)
  const first = Promise.withResolvers<void>()
  const saves: unknown[] = []
  await desk.page.route('**/note', async (route) => {
    if (saves.push(route.request().postDataJSON()) === 1) await first.promise
    await route.continue()
  })
  await note.fill('horns')
  await note.blur()
  await expect.poll(() => saves).toHaveLength(1)
  await note.fill('horns, no drums')
  await note.blur()
  // a request that left before this one is among `saves`
  await desk.page.evaluate(() => fetch('/api/me').then(({ ok }) => ok))
  expect(saves).toHaveLength(1)
  first.resolve()
  await openSong(desk, song).getByText('Saved').waitFor()
  expect(saves).toEqual([{ text: 'horns' }, { text: 'horns, no drums' }])
  await expect(note).toHaveValue('horns, no drums')
  expect((await songNow(song)).note).toBe('horns, no drums')
})

test('an internal note that could not be saved when another song was opened is saved when its song is opened again @night', async ({
  visitOperator,
}) => {
  const [song, other] = [await chargedSong('With a lost note'), await chargedSong('Opened meanwhile')]
  const desk = await visitOperator()
  await openDesk(desk, song)
  await desk.page.route('**/note', (route) => route.abort())
  await noteOf(desk, song).fill('strings instead')
  await requestRow(desk, other).click()
  await message(desk, 'alert', /^The internal note was not saved/).waitFor()
  await noteOf(desk, other).waitFor()
  await expect(noteOf(desk, other)).toHaveValue('')
  await desk.page.unrouteAll()
  await requestRow(desk, song).click()
  await expect(noteOf(desk, song)).toHaveValue('strings instead')
  await expect.poll(async () => (await songNow(song)).note).toBe('strings instead')
})

test('an internal note that is not saved says so, keeps the page from being left, and is saved with the connection @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Written offline')
  const desk = await visitOperator()
  const { page } = desk
  await openDesk(desk, song)
  await page.route('**/note', (route) => route.abort())
  const note = noteOf(desk, song)
  // a page that was not used yet does not ask
  await note.click()
  await note.fill('brass at the end')
  await note.blur()
  await openSong(desk, song).getByText('Not saved', { exact: true }).waitFor()
  await expectAskedBeforeLeaving(page)
  await page.unrouteAll()
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await openSong(desk, song).getByText('Saved', { exact: true }).waitFor()
  expect((await songNow(song)).note).toBe('brass at the end')
})
