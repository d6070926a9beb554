import { expect, test } from './fixtures.ts'
import { choose, hold, item, message, requestSong, type Visit } from './steps.ts'
import { endSession, fulfil, give, person, request } from './studio.ts'

/** Messages about a request: one at a time, which goes when it is not true any more, and says what the person can do. */

const MISSING = 'Please provide lyrics and style of song.'

const toasts = ({ page }: Visit) => page.getByRole('button', { name: 'Dismiss' })
const field = ({ page }: Visit, name: string) => page.getByRole('textbox', { name })
const create = ({ page }: Visit) => page.getByRole('button', { name: 'Create' })
const isInvalid = (visitor: Visit, name: string) => field(visitor, name).getAttribute('aria-invalid')

test('a message goes when what it asks for is there, and a later one takes its place @night', async ({
  visitAs,
}) => {
  const ada = await person()
  await give(ada, 10)
  const visitor = await visitAs(ada)
  await create(visitor).click()
  await message(visitor, 'alert', MISSING).waitFor()
  expect(await isInvalid(visitor, 'Lyrics')).toBe('true')
  await field(visitor, 'Lyrics').fill('la')
  expect(await isInvalid(visitor, 'Lyrics')).toBeNull()
  expect(await isInvalid(visitor, 'Style')).toBe('true')
  await message(visitor, 'alert', MISSING).waitFor()
  await field(visitor, 'Style').fill('One message')
  await message(visitor, 'alert', MISSING).waitFor({ state: 'detached' })

  const release = await hold(visitor.page, '**/api/songs')
  await create(visitor).click()
  await message(visitor, 'status', 'Submitting your demo request...').waitFor()
  release()
  await message(visitor, 'status', 'Request submitted.').waitFor()
  expect(await toasts(visitor).count()).toBe(1)
  await item(visitor, 'One message').waitFor()
})

test('a message of another operation lets the one before it be read for three seconds, one of the same replaces it at once @night', async ({
  visitAs,
}) => {
  const ada = await person()
  await fulfil(await request(ada, 'la', 'Put away'))
  await request(ada, 'la', 'Asked for')
  const visitor = await visitAs(ada)
  const { page } = visitor
  await item(visitor, 'Asked for').waitFor()
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await choose(item(visitor, 'Put away'), 'Archive')
  const archived = message(visitor, 'status', 'Archived.')
  await archived.waitFor()
  await choose(item(visitor, 'Asked for'), 'Ask again')
  await message(visitor, 'status', 'The form holds the words').waitFor()
  await page.clock.runFor(2_900)
  await expect(toasts(visitor)).toHaveCount(2)
  await archived.getByRole('button', { name: 'Undo' }).click()
  await message(visitor, 'status', 'Back in your album.').waitFor()
  await expect(archived).toHaveCount(0)
  await page.clock.runFor(200)
  await expect(toasts(visitor)).toHaveCount(1)
  await page.clock.resume()

  await page.getByRole('button', { name: /^Notices/ }).click()
  const notices = page.getByRole('region', { name: 'Notices' })
  await notices.getByText('Messages', { exact: true }).click()
  await notices.getByText('Archived.').waitFor()
  await notices.getByText('The form holds the words').waitFor()
})

test('a text that is too long marks its field and asks no server @night', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  const submits: string[] = []
  visitor.page.on('request', (one) => one.method() === 'POST' && submits.push(one.url()))
  await requestSong(visitor, 'la', 'x'.repeat(1_001))
  const alert = message(
    visitor,
    'alert',
    'Lyrics can have at most 10,000 characters and the style at most 1,000.',
  )
  await alert.waitFor()
  expect(await isInvalid(visitor, 'Style')).toBe('true')
  expect(await isInvalid(visitor, 'Lyrics')).toBeNull()
  await field(visitor, 'Style').fill('x'.repeat(1_000))
  await alert.waitFor({ state: 'detached' })
  expect(await isInvalid(visitor, 'Style')).toBeNull()
  expect(submits).toEqual([])
})

test('a session that has ended says that the words are kept @night', async ({ visitAs }) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  await field(visitor, 'Lyrics').fill('Words to keep')
  await field(visitor, 'Style').fill('folk')
  await endSession(ada)
  await message(visitor, 'alert', /^Please sign in first\.$/).waitFor()
  await message(visitor, 'status', 'What you typed is kept').waitFor()
})

test('a price that the balance does not reach leads to the top-up @night', async ({ visitAs }) => {
  const visitor = await visitAs(await person())
  await visitor.page.getByRole('button', { name: 'needs 10.00, you have 0.00' }).click()
  await visitor.page.getByRole('dialog', { name: 'Enter Credit Amount' }).waitFor()
})
