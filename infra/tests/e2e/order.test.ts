import type { Song } from '@prelude/contracts'
import type { Browser, Locator, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { balance, identify, item, listen, message, player, visit, type Visit, visitAs } from './steps.ts'
import { fulfil, give, type Known, mail, operator, person, request, studio, tone } from './studio.ts'

/** A song between its request and its acceptance, as its owner sees it. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

async function paid(style: string, lyrics = 'la'): Promise<{ ada: Known; song: Song }> {
  const ada = await person()
  await give(ada, 10)
  return { ada, song: await request(ada, lyrics, style) }
}

const desk = async (song: Song, action: string, body?: unknown): Promise<void> => {
  const path = `/api/operator/songs/${song.id}/${action}`
  const { status } = await (await operator()).send(action === 'note' ? 'PUT' : 'POST', path, body)
  expect(status).toBeLessThan(300)
}

/** Two tones of this length as both versions. */
async function deliver(song: Song, seconds = 30): Promise<void> {
  const form = new FormData()
  for (const n of [1, 2]) form.set(`version${n}`, new File([tone(seconds, 220 * n)], `take ${n}.wav`))
  await desk(song, 'fulfil', form)
}

const openPage = async (visitor: Visit, song: Song): Promise<void> => {
  await visitor.page.goto(`/songs/${song.id}`)
  await visitor.page.getByRole('list', { name: 'Timeline' }).waitFor()
}
const region = ({ page }: Visit, name: string): Locator => page.getByRole('region', { name })
const button = (within: Locator | Visit['page'], name: string): Locator =>
  within.getByRole('button', { name })
const steps = ({ page }: Visit): Promise<string[]> =>
  page.getByRole('list', { name: 'Timeline' }).locator('li > span').allTextContents()

test('an item says when it is ready, is cancelled after a question in every tab, and the credits are back', async () => {
  const { ada, song } = await paid('Second thoughts')
  await using visitor = await visitAs(browser, studio().web, ada, { timezoneId: 'Africa/Lagos' })
  const other = await visitor.context.newPage()
  await other.goto(`${studio().web}/songs/${song.id}`)
  const shown = item(visitor, 'Second thoughts')
  const hour = new Date(song.promisedAt!).toLocaleTimeString('en', {
    timeZone: 'Africa/Lagos',
    hour: 'numeric',
    minute: '2-digit',
  })
  const weekday = new Date(song.promisedAt!).toLocaleDateString('en', {
    timeZone: 'Africa/Lagos',
    weekday: 'long',
  })
  const promise = shown.getByText(/^Ready by .+/)
  expect(await promise.textContent()).toContain(weekday)
  expect(await promise.textContent()).toContain(hour)
  await other.getByText(/^Ready by .+/).waitFor()

  await button(shown, 'Cancel request').click()
  const dialog = visitor.page.getByRole('dialog')
  await dialog.getByText('10.00 credits are yours again').waitFor()
  await button(dialog, 'Keep it').click()
  await dialog.waitFor({ state: 'detached' })
  await expect
    .poll(() => button(shown, 'Cancel request').evaluate((one) => one === document.activeElement))
    .toBe(true)
  expect((await ada.get<Song>(`/api/songs/${song.id}`)).body.status).toBe('pending')

  await visitor.page.keyboard.press('Enter')
  await button(dialog, 'Cancel request').click()
  await message(visitor, 'status', 'Request cancelled. 10.00 credits').waitFor()
  await shown.getByText('credits refunded').waitFor()
  expect(await shown.getByRole('button', { name: /Cancel request|Cooking|Top Up/ }).count()).toBe(0)
  await balance(visitor).filter({ hasText: '10.00' }).waitFor()
  await other.getByRole('list', { name: 'Timeline' }).getByText('cancelled').waitFor()
  expect(await other.getByText(/^Ready by/).count()).toBe(0)
  expect(visitor.errors).toEqual([])
})

test('a request that was started meanwhile is not cancelled, and the dialog says why', async () => {
  const { ada, song } = await paid('Too late to stop')
  await using visitor = await visitAs(browser, studio().web, ada)
  const shown = item(visitor, 'Too late to stop')
  await button(shown, 'Cancel request').click()
  await desk(song, 'start')
  const dialog = visitor.page.getByRole('dialog')
  await button(dialog, 'Cancel request').click()
  await dialog.getByRole('alert').waitFor()
  await button(dialog, 'Keep it').click()
  await button(shown, 'Cancel request').waitFor({ state: 'detached' })
})

test('a declined song shows the reason, a late one says so and can be cancelled', async () => {
  const { ada, song } = await paid('No such language')
  await using visitor = await visitAs(browser, studio().web, ada)
  await desk(song, 'decline', { reason: 'Which language is it?' })
  await item(visitor, 'No such language').getByText('credits refunded: Which language is it?').waitFor()

  await give(ada, 10)
  const late = await request(ada, 'la', 'Not in time')
  // the job that notices it looks every 20 s, and a promise is at least a day away
  await visitor.page.route(/\/api\/songs\?/, async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { items: Song[] }
    for (const one of body.items) if (one.id === late.id) one.timeline.push({ state: 'late', at: Date.now() })
    await route.fulfill({ response, json: body })
  })
  await visitor.page.reload()
  const shown = item(visitor, 'Not in time')
  await shown.getByText(/^Late: it was promised for .+/).waitFor()
  expect(await shown.getByText(/^Ready by/).count()).toBe(0)
  await button(shown, 'Cancel request').waitFor()
  expect(visitor.errors).toEqual([])
})

test('the mail of a finished song leads to its page, also for somebody who is signed out; a replaced file is shown there and in the album', async () => {
  const { ada, song } = await paid('By mail')
  await fulfil(song)
  const { text } = await mail(ada.email, /^Your song is ready/)
  const [link = ''] = /http\S+\/songs\/\S+/.exec(text) ?? []
  await using visitor = await visit(browser)
  await visitor.page.goto(link)
  const popup = visitor.page.waitForEvent('popup')
  await visitor.page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await identify(await popup, ada)
  await visitor.page.getByRole('heading', { level: 1, name: 'By mail' }).waitFor()
  expect(new URL(visitor.page.url()).pathname).toBe(`/songs/${song.id}`)
  await region(visitor, 'Versions').getByRole('button', { name: 'Play Version 2' }).waitFor()

  const form = new FormData()
  form.set('file', new File([tone(2)], 'better.wav'))
  const { status } = await (await operator()).send('PUT', `/api/operator/songs/${song.id}/versions/1`, form)
  expect(status).toBe(200)
  const replaced = /^A file was replaced by a better one: /
  await visitor.page.getByRole('main').getByText(replaced).waitFor()
  await visitor.page.goto(studio().web)
  await item(visitor, 'By mail').getByText(replaced).waitFor()

  const bola = await person()
  await using other = await visitAs(browser, studio().web, bola)
  await other.page.goto(`/songs/${song.id}`)
  await other.page.getByRole('heading', { name: 'This song is not in your album' }).waitFor()
  // the browser logs the 404
  expect(other.errors.filter((one) => !/status of 404/.test(one))).toEqual([])
})

test('the words of a request are read whole and corrected until somebody starts on it', async () => {
  const lyrics = `A first line\n${'and another one\n'.repeat(5)}`
  const { ada, song } = await paid('Words with a mistkae', lyrics)
  await using visitor = await visitAs(browser, studio().web, ada)
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
  await button(words, 'Correct the words').waitFor()
  await desk(song, 'start')
  await button(words, 'Correct the words').waitFor({ state: 'detached' })
  await expect.poll(() => steps(visitor)).toEqual(['requested', 'paid', 'in the studio'])
})

test('changes are noted by position and version, survive a reload, are sent once, and both takes play', async () => {
  const { ada, song } = await paid('Nearly right')
  await deliver(song)
  await using visitor = await visitAs(browser, studio().web, ada)
  const { page } = visitor
  const audioOn = await listen(visitor)
  const playing = () => audioOn(page)
  await page.reload()
  await item(visitor, 'Nearly right')
    .getByText(/^Changes until \w+day /)
    .waitFor()
  await button(item(visitor, 'Nearly right'), 'Ask for changes').click()
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
  for (const [key, positionMs] of [
    ['End', '30000'],
    ['PageDown', '0'],
    ['ArrowRight', '5000'],
    ['ArrowUp', '10000'],
    ['ArrowLeft', '5000'],
  ] as const) {
    await slider.press(key)
    expect(await slider.inputValue()).toBe(positionMs)
  }
  await changes.getByRole('button', { name: 'Add note here', exact: true }).click()
  await note.fill('Another ending')
  await button(changes, 'For the whole version').click()
  await note.fill('Slower')
  await page.keyboard.press('Enter')
  await expect.poll(() => note.inputValue()).toBe('')
  expect(await notes.count()).toBe(3)

  await page.reload()
  await expect.poll(() => notes.count()).toBe(3)
  await button(notes.filter({ hasText: 'Another ending' }), 'Edit').click()
  await note.fill('A longer ending')
  await button(notes.filter({ hasText: 'Slower' }), 'Remove').click()
  expect(await notes.count()).toBe(2)

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
  expect(await button(page.getByRole('main'), 'Ask for changes').count()).toBe(0)
  const { body } = await ada.get<Song>(`/api/songs/${song.id}`)
  expect(body.changes?.notes).toEqual([
    { version: 1, atMs: 4_000, text: 'The voice louder' },
    { version: 2, atMs: 5_000, text: 'A longer ending' },
  ])
  expect(
    await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('changes'))),
  ).toEqual([])

  const form = new FormData()
  form.set('version2', new File([tone(20, 330)], 'longer.wav'))
  await desk(song, 'changes', form)
  const versions = region(visitor, 'Versions')
  await button(versions, 'Play Version 2, take 1').click()
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/2` }])
  expect(await player(visitor).getByRole('link', { name: 'Download' }).getAttribute('href')).toBe(
    `/api/songs/${song.id}/versions/2?take=1`,
  )
  await player(visitor).getByText('Take 1').waitFor()
  await button(versions, 'Play Version 2').first().click()
  await expect
    .poll(() => player(visitor).getByRole('link', { name: 'Download' }).getAttribute('href'))
    .toBe(`/api/songs/${song.id}/versions/2`)
  await button(player(visitor), 'Close').click()

  expect(await page.getByText(/^Changes until/).count()).toBe(0)
  await button(page.getByRole('main'), 'Accept').click()
  await message(visitor, 'status', 'Accepted.').waitFor()
  await expect
    .poll(() => steps(visitor))
    .toEqual(['requested', 'paid', 'delivered', 'changes asked for', 'changes delivered', 'accepted'])
  expect(await button(page.getByRole('main'), 'Accept').count()).toBe(0)
  expect(visitor.errors).toEqual([])
})

test('changes without a text are not sent, and signing out removes what was written', async () => {
  const { ada, song } = await paid('To be written')
  await deliver(song, 5)
  await using visitor = await visitAs(browser, studio().web, ada)
  await openPage(visitor, song)
  const { page } = visitor
  await button(page.getByRole('main'), 'Ask for changes').click()
  const changes = region(visitor, 'Changes')
  await button(changes, 'Send changes').click()
  await changes.getByRole('alert').filter({ hasText: 'Write at least one first.' }).waitFor()
  await button(changes, 'Add note here').click()
  await button(changes, 'Send changes').click()
  await changes.getByRole('alert').filter({ hasText: 'One is still empty' }).waitFor()
  expect((await ada.get<Song>(`/api/songs/${song.id}`)).body.changes).toBeNull()
  const kept = (): Promise<string[]> =>
    page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('prelude-changes/')))
  expect(await kept()).toHaveLength(1)
  await page.getByRole('banner').getByRole('button', { name: 'Ada' }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await page.getByText('Please sign in first.').waitFor()
  expect(await kept()).toEqual([])
})

test('changes whose answer was lost are asked for once, whether the live stream says so or they are sent again', async () => {
  for (const isLive of [true, false]) {
    const { ada, song } = await paid('Lost on the way')
    await deliver(song, 5)
    await using visitor = await visitAs(browser, studio().web, ada)
    const { page } = visitor
    if (!isLive) await page.route('**/api/live', (route) => route.abort())
    await openPage(visitor, song)
    await button(page.getByRole('main'), 'Ask for changes').click()
    const changes = region(visitor, 'Changes')
    await changes.getByRole('textbox', { name: 'Note' }).fill('Slower')
    const loseAnswer = async (route: Route): Promise<void> => {
      await route.fetch()
      await route.abort()
    }
    await page.route('**/changes', loseAnswer, { times: 1 })
    await button(changes, 'Send changes').click()
    if (!isLive) {
      await changes.getByRole('alert').waitFor()
      await button(changes, 'Send changes').click()
      await message(visitor, 'status', 'Sent.').waitFor()
    }
    await changes.getByText(/^Asked for/).waitFor()
    expect((await ada.get<Song>(`/api/songs/${song.id}`)).body.changes?.notes).toHaveLength(1)
    await expect
      .poll(() => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('changes'))))
      .toEqual([])
  }
})

test('how long a song takes is said before anybody pays', async () => {
  await using visitor = await visit(browser, { baseURL: studio().web })
  await visitor.page.goto('/')
  await visitor.page.getByText('ready within 24 hours').waitFor()
  await visitor.page.getByText('How long does it take?').click()
  await visitor.page.getByText('Usually at most 24 hours').waitFor()
  await using home = await visitAs(browser, studio().web, await person())
  await home.page.getByRole('form').getByText('usually ready within 24 hours').waitFor()
})
