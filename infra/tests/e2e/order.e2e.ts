import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { button, desk, paid, region } from './owner-steps.ts'
import { balance, choose, entry, identify, item, message } from './steps.ts'
import { fulfil, give, mail, operator, person, request, tone } from './studio.ts'

/** A song between its request and its acceptance, as its owner sees it. */

test('an item says when it is ready, is cancelled after a question in every tab, and the credits are back', async ({
  visitAs,
}) => {
  const { ada, song } = await paid('Second thoughts')
  const visitor = await visitAs(ada, { timezoneId: 'Africa/Lagos' })
  const other = await visitor.context.newPage()
  await other.goto(`/songs/${song.id}`)
  const shown = item(visitor, 'Second thoughts')
  const hour = new Date(song.promisedAt!).toLocaleTimeString('en', {
    timeZone: 'Africa/Lagos',
    hour: 'numeric',
    minute: '2-digit',
  })
  const promise = shown.getByText(/^Ready by .+/)
  expect(await promise.textContent()).toContain('tomorrow')
  expect(await promise.textContent()).toContain(hour)
  await other.getByText(/^Ready by .+/).waitFor()

  await choose(shown, 'Cancel request')
  const dialog = visitor.page.getByRole('dialog')
  await dialog.getByText('10.00 credits are yours again').waitFor()
  await button(dialog, 'Keep it').click()
  await dialog.waitFor({ state: 'detached' })
  await expect(button(shown, 'More')).toBeFocused()
  expect((await ada.get<Song>(`/api/songs/${song.id}`)).body.status).toBe('pending')

  await choose(shown, 'Cancel request')
  await button(dialog, 'Cancel request').click()
  await message(visitor, 'status', 'Request cancelled. 10.00 credits').waitFor()
  await shown.getByText('credits refunded').waitFor()
  await expect(shown.getByRole('button', { name: /Cancel request|Cooking|Top Up/ })).toHaveCount(0)
  await balance(visitor).filter({ hasText: '10.00' }).waitFor()
  await other.getByRole('list', { name: 'Timeline' }).getByText('cancelled').waitFor()
  await expect(other.getByText(/^Ready by/)).toHaveCount(0)
  expect(visitor.errors).toEqual([])
})

test('a request that was started meanwhile is not cancelled: the dialog says why, and the album shows it @night', async ({
  visitAs,
}) => {
  const { ada, song } = await paid('Too late to stop')
  const visitor = await visitAs(ada)
  // only the refusal says that something has changed
  await visitor.page.route('**/api/live', (route) => route.abort())
  await visitor.page.reload()
  const shown = item(visitor, 'Too late to stop')
  await choose(shown, 'Cancel request')
  await desk(song, 'start')
  const dialog = visitor.page.getByRole('dialog')
  await button(dialog, 'Cancel request').click()
  await dialog.getByRole('alert').waitFor()
  await button(dialog, 'Keep it').click()
  await button(shown, 'More').click()
  await entry(shown, 'Rename').waitFor()
  await expect(entry(shown, 'Cancel request')).toHaveCount(0)
})

test('a cancellation under way cannot be closed away, and its failure is shown @night', async ({
  visitAs,
}) => {
  const { ada } = await paid('Cancelled on a slow line')
  const visitor = await visitAs(ada)
  const { page } = visitor
  await choose(item(visitor, 'Cancelled on a slow line'), 'Cancel request')
  const held = Promise.withResolvers<void>()
  await page.route('**/cancel', async (route) => {
    await held.promise
    await route.abort()
  })
  const dialog = page.getByRole('dialog')
  await button(dialog, 'Cancel request').click()
  await expect(button(dialog, 'Keep it')).toBeDisabled()
  await page.keyboard.press('Escape')
  await button(dialog, 'Close').click()
  held.resolve()
  await dialog.getByRole('alert').waitFor()
  await button(dialog, 'Keep it').click()
  await dialog.waitFor({ state: 'detached' })
})

test('the question before a cancellation follows the charge of its song @night', async ({ visitAs }) => {
  const ada = await person()
  await request(ada, 'la', 'Paid meanwhile')
  const visitor = await visitAs(ada)
  await choose(item(visitor, 'Paid meanwhile'), 'Cancel request')
  const dialog = visitor.page.getByRole('dialog')
  await dialog.getByText('It has cost you nothing.').waitFor()
  await give(ada, 10)
  await dialog.getByText('10.00 credits are yours again').waitFor()
  await button(dialog, 'Cancel request').click()
  await message(visitor, 'status', 'Request cancelled. 10.00 credits').waitFor()
})

test('a declined song shows the reason, a late one says so and can be cancelled', async ({ visitAs }) => {
  const { ada, song } = await paid('No such language')
  const visitor = await visitAs(ada)
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
  await shown.getByText(/^Late: promised for .+/).waitFor()
  await expect(shown.getByText(/^Ready by/)).toHaveCount(0)
  await shown.getByText('you can have your 10.00 credits back').waitFor()
  await button(shown, 'Cancel request').click()
  await visitor.page.getByRole('dialog').getByText('10.00 credits are yours again').waitFor()
  expect(visitor.errors).toEqual([])
})

test('the mail of a finished song leads to its page, also for somebody who is signed out; a replaced file is shown there and in the album @night', async ({
  visit,
  visitAs,
}) => {
  const { ada, song } = await paid('By mail')
  await fulfil(song)
  const { text } = await mail(ada.email, /^Your song is ready/)
  const [link = ''] = /http\S+\/songs\/\S+/.exec(text) ?? []
  const visitor = await visit()
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
  const replaced = /A file was replaced by a better one: /
  await visitor.page.getByRole('main').getByText(replaced).waitFor()
  await visitor.page.goto('/')
  await item(visitor, 'By mail').getByText(replaced).waitFor()

  const bola = await person()
  const other = await visitAs(bola)
  await other.page.goto(`/songs/${song.id}`)
  await other.page.getByRole('heading', { name: 'This song is not in your album' }).waitFor()
  // the browser logs the 404
  expect(other.errors.filter((one) => !/status of 404/.test(one))).toEqual([])
})

test('how long a song takes is said before anybody pays @night', async ({ visit }) => {
  const visitor = await visit()
  await visitor.page.goto('/')
  await visitor.page.getByText(/^Ready by .+/).waitFor()
  await visitor.page.getByText('How long does it take?').click()
  await visitor.page.getByText('The form says when').waitFor()
})
