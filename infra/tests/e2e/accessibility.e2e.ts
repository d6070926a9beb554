import { readFile } from 'node:fs/promises'
import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { looker } from './inspect.ts'
import { lookAtTopUp } from './owner-steps.ts'
import {
  choices,
  choose,
  holdChunks,
  input,
  openTab,
  readyRow,
  region,
  upload,
  wav,
} from './operator-steps.ts'
import { album, banner, item, message, player } from './steps.ts'
import { FIXTURES, fulfil, give, type Person, newcomer, operator, person, request, studio } from './studio.ts'

/** Accessibility of every page and state: narrow and wide, light and dark. */

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitaen'.repeat(3)

/** A person with a song in every state, a payment and a statement. */
async function busyPerson(): Promise<Person> {
  const ada = await person(newcomer(`Adaeze-${LONG} Obi`))
  await give(ada, 30)
  const ready = await request(ada, `${LONG}\n${'Another line\n'.repeat(40)}`, `Finished ${LONG}`)
  await fulfil(ready)
  await request(ada, 'la', 'In the oven')
  const refunded = await request(ada, 'la', 'Given back')
  await (await operator()).post(`/api/operator/songs/${refunded.id}/refund`, { reason: 'cannot be sung' })
  await fulfil((await ada.get<Song>(`/api/songs/${refunded.id}`)).body)
  await request(ada, 'la', 'Paid with the last credits')
  await request(ada, 'la', 'Waits for credits')
  await ada.post('/api/payments', { amount: 25 })
  return ada
}

test('a visitor’s pages @night', async ({ visit }) => {
  const visitor = await visit()
  const { look, done } = looker(visitor)
  const { page } = visitor
  await page.goto('/')
  await page.getByRole('button', { name: 'Try Now' }).waitFor()
  await look('landing')
  await page
    .getByRole('button', { name: /^Play sample A of/ })
    .first()
    .click()
  await page.locator('button[aria-pressed=true]').waitFor()
  await look('landing with a sample playing')
  await page.getByText('What exactly do I get?').click()
  await page.keyboard.press('Tab')
  await look('landing with an answer open')
  for (const path of [
    '/payment-success',
    '/payment-success?session_id=cs_x',
    '/payment-failed',
    '/statement',
    '/your-data',
    '/sessions',
    '/nowhere',
  ]) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (path.includes('=')) await page.getByRole('status').getByText('Please sign in first.').waitFor()
    await look(path)
  }
  await page.goto('/?signin=signin_failed')
  await message(visitor, 'alert', 'Signing in did not work.').waitFor()
  await look('a refused sign-in')
  await page.goto('/api/docs')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await look('the page of the API')
  done()
})

test('a person’s home, in every state @night', async ({ visitAs }) => {
  const newly = await visitAs(await person())
  const first = looker(newly)
  await album(newly).getByText('No requests yet.').waitFor()
  await newly.page.getByRole('button', { name: 'Create' }).click()
  await message(newly, 'alert', 'Please provide').waitFor()
  await first.look('an empty home with a refusal')
  await newly.page.goto('/statement')
  await newly.page.getByText('No entries yet.').waitFor()
  await first.look('an empty statement')
  first.done()

  const visitor = await visitAs(await busyPerson(), {
    extraHTTPHeaders: { 'cf-ipcountry': 'NG' },
    permissions: ['clipboard-write'],
  })
  const { look, done } = looker(visitor)
  const { page } = visitor
  await item(visitor, 'Finished').getByRole('button', { name: 'Copy style' }).click()
  await look('a home with requests')
  await banner(visitor).getByRole('button', { name: 'Adaeze' }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).waitFor()
  await look('the account menu')
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox', { name: 'Search my album' }).fill('nothing like it')
  await album(visitor).getByText('No matching requests.').waitFor()
  await look('a search without a match')
  await page.getByRole('searchbox', { name: 'Search my album' }).fill('')
  await item(visitor, 'Finished').getByRole('button', { name: 'Sell' }).click()
  await page.getByRole('dialog', { name: 'Coming Soon' }).waitFor()
  await look('Coming Soon')
  await page.keyboard.press('Escape')
  await lookAtTopUp(visitor, look)
  await item(visitor, 'Finished').getByRole('button', { name: 'Download' }).click()
  await page.getByRole('menuitem', { name: 'Version 2' }).waitFor()
  await look('the download menu')
  await page.getByRole('menuitem', { name: 'Version 2' }).click()
  await player(visitor).getByRole('button', { name: 'Pause' }).waitFor()
  await look('the player')
  await page.goto('/statement')
  await page.getByRole('table').nth(1).waitFor()
  await look('the statement')
  await page.goto('/payment-failed')
  await page.getByRole('link', { name: /^Continue to pay/ }).waitFor()
  await look('a payment that can be gone on with')
  await page.goto('/your-data')
  await page.getByRole('button', { name: 'Close my account permanently' }).click()
  await page.getByRole('alert').filter({ hasText: 'Type the e-mail address' }).waitFor()
  await look('the end of an account')
  await page.goto('/sessions')
  await page.getByRole('list', { name: 'Sessions' }).waitFor()
  await look('the sessions')
  done()
})

test('in French, and with a large font size @night', async ({ visitAs, visitOperator }) => {
  const ada = await person(newcomer('Adaeze Obi'))
  await give(ada, 12.5)
  await fulfil(await request(ada, 'la', 'Finished'))
  await request(ada, 'la', 'Waits for credits')
  await ada.post('/api/payments', { amount: 25 })
  const visitor = await visitAs(ada, { extraHTTPHeaders: { 'cf-ipcountry': 'NG' } })
  const { look, done } = looker(visitor)
  const { page } = visitor
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
  await look('a home with a font size twice as large')
  await page.getByRole('button', { name: 'Français' }).click()
  await page.getByRole('link', { name: /Prelude/ }).click()
  await page.getByRole('button', { name: 'Essayer' }).waitFor()
  await page.evaluate(() => (document.documentElement.style.fontSize = ''))
  await look('the landing page in French')
  await page.goto('/')
  await banner(visitor)
    .getByRole('button', { name: /\d,\d\d/ })
    .click()
  await page.getByRole('combobox', { name: 'Moyen de paiement' }).selectOption({ index: 1 })
  await look('the instructions for a transfer in French')
  for (const path of ['/statement', '/your-data', '/sessions']) {
    await page.goto(path)
    await page
      .getByRole('table')
      .or(page.locator('form'))
      .or(page.getByRole('list', { name: 'Sessions' }))
      .first()
      .waitFor()
    await look(`${path} in French`)
  }
  const operator = await visitOperator()
  const desk = looker(operator)
  await operator.page.getByRole('button', { name: 'Français' }).click()
  await operator.page.getByRole('button', { name: 'Envoyer' }).waitFor()
  await desk.look('the operator’s panel in French')
  done()
  desk.done()
})

test('a song’s own page, in every state @night', async ({ visitAs }) => {
  const ada = await person(newcomer('Ada Obi'))
  await give(ada, 20)
  const cooking = await request(
    ada,
    'Carry me over the third mainland,\nMorning is soft on the sea',
    'Highlife, mid-tempo',
  )
  const closed = await request(ada, LONG, `Declined ${LONG}`)
  const reason = { reason: `Which language is it? ${LONG}` }
  await (await operator()).post(`/api/operator/songs/${closed.id}/decline`, reason)
  // so that the next song is charged, and nothing is left for the one after it
  await expect.poll(async () => (await ada.get<{ balance: number }>('/api/credits')).body.balance).toBe(10)
  const ready = await request(ada, `Paper boats on a Sunday river,\n${LONG}`, 'Acoustic folk, fingerpicked')
  await fulfil(ready)
  const waiting = await request(ada, 'la', 'Waits for credits')
  const visitor = await visitAs(ada)
  const { look, done } = looker(visitor)
  const { page } = visitor
  const open = async ({ id }: Song): Promise<void> => {
    await page.goto(`/songs/${id}`)
    await page.getByRole('list', { name: 'Timeline' }).waitFor()
  }
  const press = (name: string) => page.getByRole('main').getByRole('button', { name }).click()
  await look('an album with promises')
  await open(closed)
  await look('the page of a declined song')
  await open(waiting)
  await look('the page of a song that waits for credits')
  await open(cooking)
  await look('the page of a song that cooks')
  await press('Correct the words')
  await page.getByRole('textbox', { name: 'Lyrics' }).waitFor()
  await look('the words of a song, being corrected')
  await press('Cancel request')
  await page.getByRole('dialog').waitFor()
  await look('a request, before it is cancelled')
  await open(ready)
  await look('the page of a finished song')
  await press('Ask for changes')
  const changes = page.getByRole('region', { name: 'Changes' })
  await changes.locator('[aria-busy=false]:has(canvas)').waitFor()
  for (const text of ['The voice a little louder', LONG]) {
    await changes.getByRole('textbox', { name: 'Note' }).fill(text)
    await press('Add note here')
  }
  await press('For the whole version')
  await press('Send changes')
  await changes.getByRole('alert').waitFor()
  await look('changes, while they are written')
  await changes.getByRole('textbox', { name: 'Note' }).fill('Slower')
  await press('Send changes')
  await changes.getByText(/^Asked for/).waitFor()
  await look('changes that were asked for')
  const form = new FormData()
  form.set('version2', new File([await readFile(`${FIXTURES}/cbr.mp3`)], 'again.mp3'))
  await (await operator()).send('POST', `/api/operator/songs/${ready.id}/changes`, form)
  await page.getByRole('button', { name: 'Play Version 2, take 1' }).click()
  await player(visitor).getByRole('button', { name: 'Pause' }).waitFor()
  await look('the page of a changed song, with an earlier take in the player')
  done()
})

const SONGS = [
  [
    'Acoustic folk, fingerpicked, close female vocal',
    'Paper boats on a Sunday river,\none for every promise we made',
  ],
  [
    'Gospel soul, 72 bpm, Hammond and choir',
    'I was counting my losses when morning came in,\nsaid child, begin',
  ],
  [
    'Highlife, mid-tempo, warm male voice, horns',
    'Carry me over the third mainland,\nMorning is soft on the sea',
  ],
  ['Bossa nova, nylon guitar, whispered', 'Quiet in the kitchen while the rain'],
] as const

test('the home page in use, while it loads, and when it cannot be loaded @night', async ({ visitAs }) => {
  const ada = await person(newcomer('Ada Obi'))
  await give(ada, 30)
  for (const [index, [style, lyrics]] of SONGS.entries()) {
    const song = await request(ada, lyrics, style)
    if (index < 2) await fulfil(song)
  }
  const visitor = await visitAs(ada)
  const { look, done } = looker(visitor)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Lyrics' }).fill(`${SONGS[2][1]}\nEvery light in the window`)
  await page.getByRole('textbox', { name: 'Style' }).fill(SONGS[2][0])
  await look('a home in use')
  await item(visitor, 'Gospel').getByRole('button', { name: 'Download' }).click()
  await page.getByRole('menuitem', { name: 'Version 1' }).click()
  await player(visitor).getByRole('button', { name: 'Pause' }).waitFor()
  await look('a song that plays')
  await page.getByRole('button', { name: 'Français' }).click()
  await page.getByRole('region', { name: 'Mon album' }).waitFor()
  await look('a home in French')
  await page.getByRole('button', { name: 'English' }).click()
  await album(visitor).waitFor() // kept for the reload

  const held = Promise.withResolvers<void>()
  await page.route('**/api/songs?limit=30', async (route) => {
    await held.promise
    await route.fulfill({ status: 503, json: { code: 'unavailable' } })
  })
  await page.reload()
  await page.getByRole('heading', { name: 'My Album' }).waitFor()
  await look('an album that is being read')
  held.resolve()
  await album(visitor).getByText('trying again…').waitFor()
  await look('an album that cannot be read')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await item(visitor, 'Bossa nova').waitFor()
  // the errors are those of the simulated failures
  visitor.errors.length = 0
  done()
})

test('the operator’s panel, in every state @night', async ({ visitAs, visitOperator }) => {
  const song = await request(await person(), `${LONG}\n`.repeat(30), `Not paid ${LONG}`)
  const bola = await person(newcomer(`Bola ${LONG}`))
  await give(bola, 20)
  await fulfil(await request(bola, 'la', `Delivered ${LONG}`))
  const charged: Song = await request(bola, 'la', 'Charged')
  await bola.post('/api/payments/naira-transfers', {}, { 'cf-ipcountry': 'NG' })

  const { email } = studio().operator
  const locked = await visitAs(await person({ email, name: 'The Operator' }))
  await region(locked).getByLabel('Admin password').waitFor()
  const gate = looker(locked)
  await gate.look('the password')
  gate.done()

  const visitor = await visitOperator()
  const { look, done } = looker(visitor)
  const { page } = visitor
  await choose(visitor, song)
  await region(visitor).getByText('Not charged.').waitFor()
  const opened = async (): Promise<void> => {
    await page
      .locator('main details')
      .evaluateAll((all) => all.forEach((one) => ((one as HTMLDetailsElement).open = true)))
  }
  await opened()
  await readyRow(visitor, bola.email).waitFor()
  await opened()
  await look('the desk: ready songs')
  for (const tab of ['Transfers', 'People', 'Payments', 'Audit']) {
    await openTab(visitor, tab)
    await expect(page.getByText('Loading…')).toHaveCount(0)
    await opened()
    await look(`money: ${tab}`)
  }
  await page.goto('/')
  await choose(visitor, charged)
  await region(visitor).getByText('Refund the credits instead').click()
  await region(visitor)
    .getByRole('textbox', { name: 'Reason (the customer reads it)' })
    .fill('No singer for this')
  await region(visitor).getByRole('button', { name: 'Refund credits' }).click()
  await page.getByRole('dialog').waitFor()
  await look('the desk: a refund, before it happens')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  const held = await holdChunks(visitor)
  for (const n of [1, 2] as const) await input(visitor, n).setInputFiles(wav(`${LONG} ${n}.wav`, 40))
  await upload(visitor).click()
  await region(visitor).getByRole('progressbar').nth(1).waitFor()
  await look('an upload')
  held.release()
  await page.reload()
  await choices(visitor).waitFor()
  done()
})
