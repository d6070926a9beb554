import { eventually } from '@prelude/platform/eventually'
import type { Song } from '@prelude/contracts'
import type { Page } from '@playwright/test'
import { unseenFocus } from './contrast.ts'
import { expect, test } from './fixtures.ts'
import { paid } from './owner-steps.ts'
import { item, message, player, type Visit } from './steps.ts'
import { fulfil, type Person, request } from './studio.ts'

/** The player over the page, and with songs that lack something. */

async function ready(style: string, lyrics?: string): Promise<{ ada: Person; song: Song }> {
  const { ada, song } = await paid(style, lyrics)
  await fulfil(song)
  return { ada, song }
}

const play = (visitor: Visit, style: string): Promise<void> =>
  item(visitor, style)
    .getByRole('button', { name: `Play ${style}` })
    .click()

/** The requests for waveforms, by path. */
function waveforms(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (one) => {
    const { pathname } = new URL(one.url())
    if (pathname.endsWith('/waveform')) asked.push(pathname)
  })
  return asked
}

test('a waveform that does not come is asked for a few times, and the version plays without @night', async ({
  visitAs,
}) => {
  const { ada, song } = await paid('Never analysed')
  const { id, revision } = await fulfil(song)
  // its analysis is a revision of the song, for which the waveform is asked for again
  await eventually(async () => {
    const { body } = await ada.get<Song>(`/api/songs/${id}`)
    expect(body.revision).toBeGreaterThan(revision)
  })
  const visitor = await visitAs(ada)
  const { page } = visitor
  await page.route('**/waveform', (route) =>
    route.fulfill({ status: 404, json: { code: 'waveform_not_found', detail: 'None' } }),
  )
  const asked = waveforms(page)
  await page.clock.install()
  await page.reload()
  await play(visitor, 'Never analysed')
  const panel = player(visitor)
  await panel.getByRole('button', { name: 'Pause' }).waitFor()
  const isBusy = panel.locator('[aria-busy=true]').filter({ has: page.getByRole('slider') })
  const later = (): Promise<void> => page.clock.runFor(5_000)
  // of both versions, for their loudness
  const perVersion = (): number[] => [1, 2].map((n) => asked.filter((path) => path.includes(`/${n}/`)).length)
  await expect.poll(async () => (await later(), perVersion())).toEqual([16, 16])
  await expect.poll(async () => (await later(), isBusy.count())).toBe(0)
  for (let n = 0; n < 20; n++) await later()
  expect(perVersion()).toEqual([16, 16])
})

test('a text in Arabic runs from right to left, in the album and in the player @night', async ({
  visitAs,
}) => {
  const { ada } = await ready('موسيقى هادئة', 'أغنية عن البحر')
  await request(ada, 'From left to right', 'folk')
  const visitor = await visitAs(ada)
  const direction = (text: string, within: 'My Album' | 'Player'): Promise<string> =>
    visitor.page
      .getByRole('region', { name: within })
      .getByText(text, { exact: true })
      .first()
      .evaluate((one) => getComputedStyle(one).direction)
  await play(visitor, 'موسيقى هادئة')
  await player(visitor).getByRole('button', { name: 'Lyrics' }).click()
  for (const within of ['My Album', 'Player'] as const)
    for (const text of ['موسيقى هادئة', 'أغنية عن البحر']) expect(await direction(text, within)).toBe('rtl')
  expect(await direction('From left to right', 'My Album')).toBe('ltr')
})

for (const viewport of [
  { width: 360, height: 740 },
  { width: 1280, height: 720 },
] as const)
  test(`neither the player nor a message covers what has the focus at ${viewport.width} × ${viewport.height} @night`, async ({
    visitAs,
  }) => {
    const { ada } = await ready('Under the player')
    for (let n = 0; n < 3; n++) await request(ada, 'la', `Another ${n}`)
    const visitor = await visitAs(ada, { viewport })
    const { page } = visitor
    await play(visitor, 'Under the player')
    await player(visitor).getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    // the pointer on it keeps it there
    await message(visitor, 'alert', 'Please provide lyrics and style of song.').hover()
    await page.evaluate(() => scrollTo(0, 0))
    const names = new Set<string | null>()
    for (let stops = 0; stops < 90; stops++) {
      await page.keyboard.press('Tab')
      await expect.poll(() => unseenFocus(page)).toBeNull()
      names.add(await page.evaluate(() => document.activeElement?.closest('section')?.ariaLabel ?? null))
    }
    expect([...names]).toEqual(expect.arrayContaining(['My Album', 'Player']))
    await expect(message(visitor, 'alert', 'Please provide')).toHaveCount(1)
  })

test('on a low screen the player leaves the page in use, and with open lyrics all of it can be reached @night', async ({
  visitAs,
}) => {
  const { ada } = await ready('On its side', 'A verse\n'.repeat(40))
  const viewport = { width: 640, height: 280 }
  const visitor = await visitAs(ada, { viewport })
  await play(visitor, 'On its side')
  const panel = player(visitor)
  const box = async () => (await panel.boundingBox())!
  await panel.getByRole('button', { name: 'Pause' }).waitFor()
  expect((await box()).height).toBeLessThan((viewport.height * 3) / 4)
  // by key, so that the focus is marked
  await panel.getByRole('button', { name: 'Lyrics' }).press('Enter')
  await panel.getByText('A verse').waitFor()
  expect((await box()).y).toBeGreaterThanOrEqual(0)
  await expect.poll(() => unseenFocus(visitor.page)).toBeNull()
  for (const control of [
    panel.getByRole('link', { name: 'Save' }),
    panel.getByRole('button', { name: 'Pause' }),
    panel.getByRole('button', { name: 'Close' }),
  ]) {
    await control.focus()
    await expect.poll(() => unseenFocus(visitor.page)).toBeNull()
  }
})
