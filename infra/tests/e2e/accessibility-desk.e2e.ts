import type { Song } from '@prelude/contracts'
import { test } from './fixtures.ts'
import { looker } from './inspect.ts'
import { delivery, openDesk, openSong, wav } from './operator-steps.ts'
import { fulfil, give, newcomer, person, request } from './studio.ts'

/** Accessibility of the operator's page `/operator`: narrow and wide, light and dark. */

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitaen'.repeat(3)

test('the operator’s desk, in every state @night', async ({ visitOperator }) => {
  const bola = await person(newcomer(`Bola ${LONG}`))
  await give(bola, 30)
  const charged = await request(bola, 'Paper boats on a Sunday river\n'.repeat(30), 'Highlife, warm horns')
  const named = await request(bola, `${LONG}\n`, LONG)
  const changed = await request(bola, 'la', 'Delivered, and to be changed')
  await fulfil(changed)
  await bola.post<Song>(`/api/songs/${changed.id}/changes`, {
    notes: [
      { version: 1, atMs: 500, text: `Louder ${LONG}` },
      { version: 2, text: 'A calmer ending' },
    ],
  })
  const visitor = await visitOperator()
  const { page } = visitor
  const { look, done } = looker(visitor)
  await openDesk(visitor)
  await page.getByRole('list', { name: 'Requests' }).waitFor()
  await look('the page of the desk, no song open')
  await page.goto(`/operator?song=${named.id}`)
  const others = page.getByRole('region', { name: /^Donau/ })
  await others.getByText('Other songs of this person').click()
  await others.getByRole('listitem').first().waitFor()
  await look('the page of the desk, a long name')
  await openDesk(visitor, charged)
  await openSong(visitor, charged).waitFor()
  for (const n of [1, 2])
    await delivery(visitor)
      .getByLabel(`Version ${n}`, { exact: true })
      .setInputFiles(wav(`${n}.wav`, 4))
  await delivery(visitor).getByText('Both files are the same.').waitFor()
  await look('the page of the desk, files checked')
  await delivery(visitor).getByRole('button', { name: 'Deliver…' }).click()
  await page.getByRole('dialog').getByText('Both files are the same.').waitFor()
  await look('the page of the desk, before a delivery')
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click()
  await openSong(visitor, charged).getByRole('button', { name: 'Decline' }).click()
  await look('the page of the desk, a request is declined')
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click()
  await page.goto(`/operator?tab=changes&song=${changed.id}`)
  await openSong(visitor, changed).getByRole('list', { name: 'Notes' }).waitFor()
  await look('the page of the desk, changes')
  await page.getByRole('tab', { name: 'Late' }).click()
  await page.getByText('Nothing here.').waitFor()
  await look('the page of the desk, an empty tab')
  await openDesk(visitor)
  await page.getByRole('button', { name: 'Keys' }).click()
  await look('the page of the desk, its keys')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Lock' }).click()
  await page.getByLabel('Admin password').waitFor()
  await look('the page of the desk, locked')
  done()
})
