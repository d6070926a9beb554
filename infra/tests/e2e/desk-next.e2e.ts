import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import {
  chargedSong,
  confirm,
  delivery,
  openDesk,
  openSong,
  question,
  requests,
  songNow,
  uploadDone,
  wav,
} from './operator-steps.ts'
import { hold, message, type Visit } from './steps.ts'
import { newcomer, person, request } from './studio.ts'

/** What is next at the operator's page `/operator`: unpaid requests, empty tabs, and the song after a delivery. */

/** Leaves only these songs in the lists of the desk, in the order of the server: other tests share the queue. */
async function showOnly({ page }: Visit, songs: readonly Song[]): Promise<void> {
  const ids = new Set(songs.map(({ id }) => id))
  await page.route(/\/api\/operator\/songs\?stage=/, async (route) => {
    const items: Song[] = []
    for (let url: URL | null = new URL(route.request().url()); url !== null;) {
      const page = (await (await route.fetch({ url: url.href })).json()) as {
        items: Song[]
        nextCursor: string | null
      }
      items.push(...page.items.filter(({ id }) => ids.has(id)))
      if (page.nextCursor === null) url = null
      else url.searchParams.set('cursor', page.nextCursor)
    }
    await route.fulfill({ json: { items, nextCursor: null } })
  })
}

test('unpaid requests come last in "To do"; one is declined, another is begun as a gift @night', async ({
  visitOperator,
}) => {
  const owner = await person(newcomer('Bola Ige'))
  const [refused, given] = [await request(owner, 'la', 'Unpaid 1'), await request(owner, 'la', 'Unpaid 2')]
  const paid = await chargedSong('Paid later than both')
  const desk = await visitOperator()
  await showOnly(desk, [refused, given, paid])
  await openDesk(desk)
  const row = ({ id }: Song) => requests(desk).locator(`a[href*="${id}"]`)
  await expect(requests(desk).getByRole('link')).toHaveCount(3)
  const order = await requests(desk)
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link) => new URLSearchParams(link.getAttribute('href') ?? '').get('song')),
    )
  expect(order).toEqual([paid, refused, given].map(({ id }) => id))
  await row(refused)
    .getByText(/^not charged/)
    .waitFor()
  await row(refused).click()
  await openSong(desk, refused).getByRole('button', { name: 'Decline' }).click()
  const asked = question(desk, 'Decline the request of Bola Ige?')
  await asked.getByText('It was not charged, so no credits go back.').waitFor()
  await asked.getByRole('textbox', { name: 'Reason' }).fill('no')
  await confirm(desk, 'Decline').click()
  await message(desk, 'status', 'Request declined.').waitFor()
  await row(refused).waitFor({ state: 'detached' })
  expect((await songNow(refused)).status).toBe('declined')

  await row(given).click()
  const open = openSong(desk, given)
  await open.getByRole('button', { name: 'Start' }).click()
  await message(desk, 'alert', /not charged|credits/).waitFor()
  await open.getByRole('checkbox', { name: /gift/ }).check()
  await open.getByRole('button', { name: 'Start' }).click()
  await expect(desk.page.getByRole('tab', { name: 'In the studio' })).toHaveAttribute('aria-selected', 'true')
  await row(given).waitFor()
  expect(await songNow(given)).toMatchObject({ charge: 'gift', promisedAt: expect.any(Number) })
})

async function deliverAt(desk: Visit, tab: string, song: Song): Promise<void> {
  await desk.page.goto(`/operator?tab=${tab}&song=${song.id}`)
  for (const n of [1, 2])
    await delivery(desk)
      .getByLabel(`Version ${n}`, { exact: true })
      .setInputFiles(wav(`${n}.wav`, 30 + n))
  await delivery(desk).getByRole('button', { name: 'Deliver…' }).click()
  await confirm(desk, /^Deliver$/).click()
  await uploadDone(desk)
}

test('after the last delivery of a tab the first request that is to do opens @night', async ({
  visitOperator,
}) => {
  const [song, next] = [await chargedSong('The last in the studio'), await chargedSong('Next to do')]
  const desk = await visitOperator()
  await desk.page.route('**/api/operator/songs?stage=studio*', (route) =>
    route.fulfill({ json: { items: [], nextCursor: null } }),
  )
  await desk.page.route('**/api/operator/songs?stage=todo&limit=1', (route) =>
    route.fulfill({ json: { items: [next], nextCursor: null } }),
  )
  await deliverAt(desk, 'studio', song)
  await openSong(desk, next).waitFor()
  expect(new URL(desk.page.url()).searchParams.get('tab')).toBe('todo')
})

test('while the operator types in the song that is delivered, the next one is offered and not opened @night', async ({
  visitOperator,
}) => {
  const [song, next] = [await chargedSong('Written about'), await chargedSong('Waits for its turn')]
  const desk = await visitOperator()
  const release = await hold(desk.page, '**/fulfil*')
  const delivered = deliverAt(desk, 'todo', song)
  await delivery(desk).getByRole('progressbar').first().waitFor()
  const note = openSong(desk, song).getByRole('textbox', { name: 'Internal note' })
  await note.pressSequentially('horns')
  release()
  await delivered
  await desk.page.getByRole('link', { name: 'Open the next request' }).waitFor()
  await expect(note).toBeFocused()
  await desk.page.getByRole('link', { name: 'Open the next request' }).click()
  await openSong(desk, next).waitFor()
})
