import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Share, Song } from '@prelude/contracts'
import { test } from './fixtures.ts'
import { picture, WIDE } from './inspect.ts'
import { delivery, openDesk, openSong, upload, wav } from './operator-steps.ts'
import { item, message, player } from './steps.ts'
import { analysed, give, mail, operator, person, request } from './studio.ts'

/** `make pictures ONLY=tour`: the pictures of docs/tour.md, README and the operator's page, with lifelike content. */

const ROOT = resolve(import.meta.dirname, '../../..')
const PHONE = { viewport: { width: 390, height: 780 }, colorScheme: 'light' } as const
const BOATS = ['Paper boats on a Sunday river,\none for every promise we made', 'Acoustic folk, fingerpicked']
const BRIDGE = ['Carry me over the third mainland,\nMorning is soft on the sea', 'Highlife, warm horns']
const SOUL = [
  'I was counting my losses when morning came in,\nsaid child, begin',
  'Gospel soul, Hammond and choir',
]
const WALTZ = ['Save me the last one, I came with the rain', 'Country ballad, pedal steel, slow waltz']
const RAIN = ['Quiet in the kitchen while the rain\ncounts the roof again', 'Bossa nova, nylon guitar']

test('tour', async ({ visit, visitAs, visitOperator }) => {
  const ada = await person({ email: 'ada@example.test', name: 'Ada Obi' })
  await give(ada, 60)
  const requested = ([lyrics = '', style = '']: string[]): Promise<Song> => request(ada, lyrics, style)
  const declined = await requested(WALTZ)
  const reason = { reason: 'We have no pedal steel player this month.' }
  await (await operator()).post(`/api/operator/songs/${declined.id}/decline`, reason)
  const boats = await delivered(await requested(BOATS))
  const soul = await delivered(await requested(SOUL))
  await ada.post(`/api/songs/${soul.id}/changes`, { notes: [{ version: 1, atMs: 9_000, text: 'Softer' }] })
  const bridge = await requested(BRIDGE)
  await requested(RAIN)
  async function delivered(song: Song): Promise<Song> {
    const form = new FormData()
    for (const [n, take] of ['a', 'b'].entries())
      form.set(
        `version${n + 1}`,
        new File([await readFile(`${ROOT}/web/public/samples/temi-${take}.mp3`)], `boats-${take}.mp3`),
      )
    const made = { 1: { how: 'people' }, 2: { how: 'assisted', with: 'ACE-Step 1.5' } }
    form.set('made', JSON.stringify(made))
    await (await operator()).send('POST', `/api/operator/songs/${song.id}/fulfil`, form)
    await analysed(ada, song, 2)
    return song
  }
  await ada.send('PATCH', `/api/songs/${boats.id}`, { title: 'Paper boats' })
  const { url } = (await ada.post<Share>(`/api/songs/${boats.id}/shares`, { lyrics: true })).body

  const visitor = await visit(WIDE)
  await visitor.page.goto('/', { waitUntil: 'networkidle' })
  await picture(visitor.page, 'landing')
  const { page: program } = await visit({ viewport: { width: 520, height: 500 } })
  await program.setContent((await mail(ada.email, /ready: “Acoustic/)).html, {
    waitUntil: 'networkidle',
  })
  await picture(program, 'mail')

  const home = await visitAs(ada, WIDE)
  await home.page.getByRole('textbox', { name: 'Lyrics' }).fill('Every light in the window')
  await item(home, 'Paper boats').waitFor()
  await picture(home.page, 'home')

  await home.page.goto(`/songs/${boats.id}`)
  await home.page.getByRole('button', { name: /^Play Version 1/ }).click()
  await player(home).getByRole('button', { name: 'Pause' }).click()
  await picture(home.page, 'song')

  const phone = await visitAs(ada, PHONE)
  await item(phone, 'Paper boats').waitFor()
  await phone.page.getByRole('heading', { name: 'My Album' }).evaluate((it) => it.scrollIntoView())
  await picture(phone.page, 'home-phone')
  await phone.page.goto(`/songs/${boats.id}`)
  await phone.page.getByRole('button', { name: 'Accept' }).click()
  await phone.page.getByRole('dialog', { name: 'Accept this song?' }).waitFor()
  await picture(phone.page, 'accept')
  await phone.page.getByRole('button', { name: 'Not yet' }).click()
  await phone.page.getByRole('button', { name: 'Share' }).click()
  await phone.page.getByRole('button', { name: 'Make link' }).click()
  await phone.page.getByRole('textbox', { name: 'Link' }).waitFor()
  await picture(phone.page, 'share')
  await phone.page.goto(url, { waitUntil: 'networkidle' })
  await phone.page.getByRole('heading', { level: 1, name: 'Paper boats' }).waitFor()
  await picture(phone.page, 'link')

  const desk = await visitOperator(WIDE)
  await upload(desk).click()
  await message(desk, 'alert', 'Select a song ID').waitFor()
  await desk.page.evaluate(() => scrollTo(0, 0))
  await picture(desk.page, 'panel')
  await openDesk(desk, bridge)
  await openSong(desk, bridge).waitFor()
  for (const n of [1, 2])
    await delivery(desk)
      .getByLabel(`Version ${n}`, { exact: true })
      .setInputFiles(wav(`bridge-${n}.wav`, 40, 220 * n))
  await delivery(desk).getByText('0:40').nth(1).waitFor()
  await picture(desk.page, 'desk')
  await desk.page.setViewportSize(PHONE.viewport)
  await picture(desk.page, 'desk-phone')
  await desk.page.setViewportSize(WIDE.viewport)

  await desk.page.goto('/ops')
  await desk.page.getByText('All services are healthy.').waitFor()
  await picture(desk.page, 'ops')
})
