import type { Share } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { looker } from './inspect.ts'
import { lookAtTopUp, openPage } from './owner-steps.ts'
import { choose, openDesk, openSong, region } from './operator-steps.ts'
import { album, item, message, player } from './steps.ts'
import { analysed, fulfil, give, newcomer, operator, person, request } from './studio.ts'

/** Accessibility of twelve states that nearly everybody sees, narrow and light, wide and dark; all others are checked at night. */

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitaen'

test('twelve states without an accessibility finding: a visitor, a person, a listener and the operator', async ({
  visit,
  visitAs,
  visitOperator,
}) => {
  const ada = await person(newcomer(`Adaeze-${LONG} Obi`))
  await give(ada, 20)
  const ready = await request(ada, `${LONG}\n${'Another line\n'.repeat(20)}`, `Finished ${LONG}`)
  await fulfil(ready)
  await analysed(ada, ready, 1)
  await analysed(ada, ready, 2)
  const cooking = await request(ada, 'la', 'In the oven')
  const closed = await request(ada, 'la', 'Waits for credits')
  await (
    await operator()
  ).post(`/api/operator/songs/${closed.id}/decline`, { reason: `Which language? ${LONG}` })
  const { url } = (await ada.post<Share>(`/api/songs/${ready.id}/shares`, { lyrics: true, download: true }))
    .body

  const stranger = await visit()
  const visitors = looker(stranger)
  await stranger.page.goto('/')
  await stranger.page.getByRole('button', { name: 'Try Now' }).waitFor()
  await visitors.look('landing')
  await stranger.page.goto(url)
  await stranger.page.getByRole('button', { name: 'Play Version 1' }).waitFor()
  await visitors.look('the page of a link')
  visitors.done()

  const visitor = await visitAs(ada, { extraHTTPHeaders: { 'cf-ipcountry': 'NG' } })
  const { page } = visitor
  const { look, done } = looker(visitor)
  await page.getByRole('button', { name: 'Create' }).click()
  await message(visitor, 'alert', 'Please provide').waitFor()
  await item(visitor, 'Waits for credits').waitFor()
  await look('a home with requests and a refusal')
  await lookAtTopUp(visitor, look)
  await item(visitor, 'Finished').getByRole('button', { name: 'Download' }).click()
  await page.getByRole('menuitem', { name: 'Version 2' }).click()
  await player(visitor).getByRole('button', { name: 'Pause' }).waitFor()
  await look('the player')
  await player(visitor).getByRole('button', { name: 'Close' }).click()
  await openPage(visitor, ready)
  await look('the page of a finished song')
  await openPage(visitor, closed)
  await look('the page of a declined song')
  await page.goto('/statement')
  await page.getByRole('table').first().waitFor()
  await look('the statement')
  await page.goto('/your-data')
  await page.getByRole('button', { name: 'Close my account permanently' }).click()
  await page.getByRole('alert').filter({ hasText: 'Type the e-mail address' }).waitFor()
  await look('the end of an account')
  done()

  const desk = await visitOperator()
  const operators = looker(desk)
  await album(desk).waitFor()
  await choose(desk, cooking)
  await region(desk).getByText('Refund the credits instead').click()
  await operators.look('the operator’s panel')
  await openDesk(desk, cooking)
  await expect(openSong(desk, cooking)).toBeVisible()
  await operators.look('a request at the desk')
  operators.done()
})
