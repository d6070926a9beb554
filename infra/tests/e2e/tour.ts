import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Share, Song } from '@prelude/contracts'
import { test } from './fixtures.ts'
import { picture, WIDE } from './inspect.ts'
import { delivery, openDesk, openSong, wav } from './operator-steps.ts'
import { player } from './steps.ts'
import { analysed, give, operator, person, request } from './studio.ts'

/** `make pictures ONLY=tour`: the pictures of docs/tour.md, README and the operator's page, with lifelike content. */

const ROOT = resolve(import.meta.dirname, '../../..')
const PHONE = { viewport: { width: 390, height: 780 }, colorScheme: 'light' } as const
const BOATS = ['Paper boats on a Sunday river,\none for every promise we made', 'Acoustic folk, fingerpicked']
const BRIDGE = ['Carry me over the third mainland,\nMorning is soft on the sea', 'Highlife, warm horns']
const RAIN = ['Quiet in the kitchen while the rain\ncounts the roof again', 'Bossa nova, nylon guitar']

test('tour', async ({ visit, visitAs, visitOperator }) => {
  const ada = await person({ email: 'ada@example.test', name: 'Ada Obi' })
  await give(ada, 40)
  const [boats, bridge] = [await requested(BOATS), await requested(BRIDGE)]
  await requested(RAIN)
  async function requested([lyrics = '', style = '']: string[]): Promise<Song> {
    return request(ada, lyrics, style)
  }
  const form = new FormData()
  for (const n of ['a', 'b'])
    form.set(
      `version${n === 'a' ? 1 : 2}`,
      new File([await readFile(`${ROOT}/web/public/samples/temi-${n}.mp3`)], `boats-${n}.mp3`),
    )
  await (await operator()).send('POST', `/api/operator/songs/${boats.id}/fulfil`, form)
  await analysed(ada, boats, 2)
  await ada.send('PATCH', `/api/songs/${boats.id}`, { title: 'Paper boats' })
  const { url } = (await ada.post<Share>(`/api/songs/${boats.id}/shares`, { lyrics: true })).body

  const visitor = await visit(WIDE)
  await visitor.page.goto('/', { waitUntil: 'networkidle' })
  await picture(visitor.page, 'landing')

  const home = await visitAs(ada, WIDE)
  await home.page.getByRole('textbox', { name: 'Lyrics' }).fill('Every light in the window')
  await picture(home.page, 'home')

  await home.page.goto(`/songs/${boats.id}`)
  await home.page.getByRole('button', { name: /^Play Version 1/ }).click()
  await player(home).getByRole('button', { name: 'Pause' }).click()
  await picture(home.page, 'song')

  const phone = await visit(PHONE)
  await phone.page.goto(url, { waitUntil: 'networkidle' })
  await phone.page.getByRole('heading', { level: 1, name: 'Paper boats' }).waitFor()
  await picture(phone.page, 'link')

  const desk = await visitOperator(WIDE)
  await openDesk(desk, bridge)
  await openSong(desk, bridge).waitFor()
  for (const n of [1, 2])
    await delivery(desk)
      .getByLabel(`Version ${n}`, { exact: true })
      .setInputFiles(wav(`bridge-${n}.wav`, 40, 220 * n))
  await delivery(desk).getByText('0:40').nth(1).waitFor()
  await picture(desk.page, 'desk')

  await desk.page.goto('/ops')
  await desk.page.getByText('All services are healthy.').waitFor()
  await picture(desk.page, 'ops')
})
