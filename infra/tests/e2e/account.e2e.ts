import { readFile } from 'node:fs/promises'
import { expect, test } from './fixtures.ts'
import { album, banner, identify, message } from './steps.ts'
import { fulfil, give, mail, newcomer, person, request } from './studio.ts'

/** Closing an account, the export of its data, and its sessions. */

test('a person downloads their data and closes the account, by keyboard only, at 360 px', async ({
  visitAs,
}) => {
  const ada = await person(newcomer('Adaeze Obi'))
  await give(ada, 25)
  await fulfil(await request(ada, 'words of the first', 'Finished'))
  await request(ada, 'la', 'In the oven')
  await request(ada, 'la', 'Waits')
  await mail(ada.email, /ready/)
  const visitor = await visitAs(ada, { viewport: { width: 360, height: 740 } })
  const { page, context } = visitor
  const kept = (): Promise<string> => page.evaluate(() => JSON.stringify(sessionStorage))
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('a word')
  await expect.poll(kept).toContain(ada.uid)
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('')
  await expect.poll(kept).not.toContain(ada.uid)
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('a draft that nobody shall find')
  const other = await context.newPage()
  await other.goto('/')
  await other.getByRole('region', { name: 'My Album' }).waitFor()

  await banner(visitor).getByRole('button', { name: 'Adaeze' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Statement' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Your data' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download your data' }).focus()
  await page.keyboard.press('Enter')
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^prelude-data-[\d-]+\.zip$/)
  expect((await readFile(await file.path())).includes('words of the first')).toBe(true)

  const end = page.getByRole('region', { name: 'Close your account' })
  for (const loss of [
    'Your finished song is deleted',
    'The song that is cooking is cancelled',
    'The request waiting for credits is deleted',
    'Your 5.00 credits are lost',
  ])
    await end.getByText(loss).waitFor()
  await end.getByRole('textbox', { name: 'Type your e-mail address to confirm' }).focus()
  await page.keyboard.type('somebody@else.test')
  await page.keyboard.press('Enter')
  await end.getByRole('alert').getByText('Type the e-mail address of your account').waitFor()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(ada.email)
  await page.keyboard.press('Enter')
  await message(visitor, 'status', 'Your account is closed').waitFor()
  expect(await page.getByRole('alert').count(), 'that the session ended is no news').toBe(0)
  for (const tab of [page, other]) await tab.getByRole('button', { name: 'Try Now' }).waitFor()
  expect((await mail(ada.email, /^Your account is closed$/)).text).toContain('closed for good')
  const left = (await kept()) + (await page.evaluate(() => JSON.stringify(localStorage)))
  expect(left).not.toContain('a draft')
  expect(left).not.toContain(ada.uid)
  expect(visitor.errors).toEqual([])

  const again = await person({ email: ada.email, name: ada.name })
  const back = await visitAs(again)
  await album(back).getByText('No requests yet.').waitFor()
  await banner(back).getByRole('button', { name: '0.00 credits' }).waitFor()
})

test('credits that arrive meanwhile must be confirmed first, also in French @night', async ({ visitAs }) => {
  const ada = await person()
  await give(ada, 10)
  const visitor = await visitAs(ada)
  const { page } = visitor
  await page.getByRole('button', { name: 'Français' }).click()
  await page.getByRole('region', { name: 'Mon album' }).waitFor()
  // the live stream would send them to the page
  await page.route('**/api/live', () => {})
  await page.goto('/your-data')
  const end = page.getByRole('region', { name: 'Fermer votre compte' })
  await end.getByText('Vos 10,00 crédits sont perdus').waitFor()
  await give(ada, 5)
  await end.getByRole('textbox', { name: 'Tapez votre adresse e-mail' }).fill(ada.email)
  await end.getByRole('button', { name: 'Fermer mon compte pour toujours' }).click()
  await end.getByRole('alert').getByText('Vos crédits ont changé').waitFor()
  await end.getByText('Vos 15,00 crédits sont perdus').waitFor()
  await end.getByRole('button', { name: 'Fermer mon compte pour toujours' }).click()
  await message(visitor, 'status', 'Votre compte est fermé').waitFor()
})

test('a person who closes the account sees no message that the session ended, also with a slow answer @night', async ({
  visitAs,
}) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  const { page } = visitor
  const gone = Promise.withResolvers<void>()
  await page.route('**/api/live', async (route) => {
    await gone.promise
    await route.fulfill({ contentType: 'text/event-stream', body: 'event: ready\ndata: {}\n\n' })
  })
  await page.goto('/your-data')
  await page.route('**/api/account/close', async (route) => {
    const response = await route.fetch()
    // when the live stream connects, the page loads everything again
    const signedOut = page.waitForResponse((one) => one.status() === 204 && one.url().endsWith('/api/me'))
    gone.resolve()
    await signedOut
    await route.fulfill({ response })
  })
  await page.getByRole('textbox', { name: 'Type your e-mail address to confirm' }).fill(ada.email)
  await page.getByRole('button', { name: 'Close my account permanently' }).click()
  await message(visitor, 'status', 'Your account is closed').waitFor()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a person with an open payment is asked to wait, with an address to write to @night', async ({
  visitAs,
}) => {
  const ada = await person()
  await ada.post('/api/payments/naira-transfers', {}, { 'cf-ipcountry': 'NG' })
  const visitor = await visitAs(ada)
  await visitor.page.goto('/your-data')
  const end = visitor.page.getByRole('region', { name: 'Close your account' })
  await end.getByText('One of your payments is still in progress.').waitFor()
  await expect(end.getByRole('link')).toHaveAttribute('href', /^mailto:/)
  await expect(end.getByRole('button')).toHaveCount(0)
})

test('a person sees their sessions, ends one, and signs out everywhere else, by keyboard @night', async ({
  visitAs,
}) => {
  const ada = await person()
  const elsewhere = [await person(ada), await person(ada)]
  const visitor = await visitAs(ada)
  const { page } = visitor
  await banner(visitor).getByRole('button', { name: 'Ada' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Statement' }).and(page.locator(':focus')).waitFor()
  const chosen = page.getByRole('menuitem', { name: 'Your sessions' }).and(page.locator(':focus'))
  for (let n = 0; n < 5 && (await chosen.count()) === 0; n++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Your sessions' }).waitFor()
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await expect(sessions).toHaveCount(3)
  await expect(sessions.filter({ hasText: 'this browser' })).toHaveCount(1)
  await sessions
    .filter({ hasNotText: 'this browser' })
    .first()
    .getByRole('button', { name: /^Sign out/ })
    .focus()
  await page.keyboard.press('Enter')
  await message(visitor, 'status', 'The session is ended.').waitFor()
  await expect(sessions).toHaveCount(2)
  const alive = async () =>
    (await Promise.all(elsewhere.map((one) => one.get('/api/me')))).map(({ status }) => status)
  // the newest is listed first
  expect(await alive()).toEqual([200, 401])
  await page.getByRole('button', { name: 'Sign out everywhere' }).focus()
  await page.keyboard.press('Enter')
  await message(visitor, 'status', 'All other sessions are ended.').waitFor()
  await expect(sessions).toHaveCount(1)
  expect(await alive()).toEqual([401, 401])
  await page.getByRole('link', { name: 'Go Home' }).click()
  await album(visitor).waitFor()
  expect(visitor.errors).toEqual([])
})

test('an old sign-in is renewed before data is downloaded or the account is closed @night', async ({
  visitAs,
}) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  const { page } = visitor
  // as the server answers an hour later
  await page.route('**/api/account/closing', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), signInAgain: true } })
  })
  await page.goto('/your-data')
  await message(visitor, 'status', 'Your last sign-in was a while ago.').waitFor()
  await expect(page.getByRole('link', { name: 'Download your data' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Close your account' })).toHaveCount(0)
  await page.unroute('**/api/account/closing')
  const popup = page.waitForEvent('popup')
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await identify(await popup, ada)
  await page.getByRole('link', { name: 'Download your data' }).waitFor()
  await page.getByRole('region', { name: 'Close your account' }).waitFor()
})
