import type { Song } from '@prelude/contracts'
import { expect, type OpenVisitAs, test } from './fixtures.ts'
import { hold, item, listen, mediaControls, player, type Playing, type Visit } from './steps.ts'
import { analysed, fulfil, type Person, operator, person, request, tone } from './studio.ts'

let ada: Person
let song: Song

test.beforeAll(async () => {
  ada = await person()
  song = await request(ada, 'First line\nSecond line', 'Long tones')
  await fulfil(
    await request(ada, Array.from({ length: 40 }, (_, n) => `Verse ${n + 1}`).join('\n'), 'Many verses'),
  )
  await fulfil(song)
  await analysed(ada, song, 2)
})

async function open(visitor: Visit, version: 1 | 2, style = 'Long tones'): Promise<void> {
  await item(visitor, style).getByRole('button', { name: 'Download' }).click()
  await visitor.page.getByRole('menuitem', { name: `Version ${version}` }).click()
  await player(visitor).waitFor()
}

async function visitListening(
  visitAs: OpenVisitAs,
): Promise<{ visitor: Visit; playing: () => Promise<Playing[]> }> {
  const visitor = await visitAs(ada)
  const audioOn = await listen(visitor)
  await visitor.page.reload()
  return { visitor, playing: () => audioOn(visitor.page) }
}

test('the selected version plays at once with its title and lyrics, with Download in a new tab and Save', async ({
  visitAs,
}) => {
  const { visitor, playing } = await visitListening(visitAs)
  await open(visitor, 2)
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/2` }])
  const panel = player(visitor)
  await panel.getByRole('heading', { name: 'Long tones' }).waitFor()
  await panel.getByText('First line\nSecond line').waitFor()
  await panel.getByRole('button', { name: 'Pause' }).waitFor()
  await expect(panel.getByRole('radio', { name: 'Version 2' })).toBeChecked()
  const download = panel.getByRole('link', { name: 'Download' })
  await expect(download).toHaveAttribute('target', '_blank')
  await expect(download).toHaveAttribute('href', `/api/songs/${song.id}/versions/2`)
  const saving = visitor.page.waitForEvent('download')
  await panel.getByRole('link', { name: 'Save' }).click()
  expect((await saving).suggestedFilename()).toBe('Long tones (Version 2).wav')
  await panel.getByRole('button', { name: 'Close' }).click()
  await panel.waitFor({ state: 'detached' })
  expect(await playing()).toEqual([])
  expect(visitor.errors).toEqual([])
})

test('a switch of versions continues at the same position, also twice in a row', async ({ visitAs }) => {
  const { visitor, playing } = await visitListening(visitAs)
  await open(visitor, 1)
  const panel = player(visitor)
  await expect.poll(playing).toHaveLength(1)
  const slider = panel.getByRole('slider', { name: 'Position' })
  // seeking needs the duration
  await expect.poll(async () => Number(await slider.getAttribute('max'))).toBeGreaterThan(29_000)
  const sought = performance.now()
  await slider.fill('12000')
  await expect.poll(async () => (await playing())[0]?.seconds).toBeGreaterThanOrEqual(12)
  await panel.getByRole('radio', { name: 'Version 2' }).check()
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/2` }])
  await expect.poll(async () => (await playing())[0]?.seconds).toBeGreaterThanOrEqual(12)
  await panel.getByRole('radio', { name: 'Version 1' }).check()
  await panel.getByRole('radio', { name: 'Version 2' }).check()
  await panel.getByRole('radio', { name: 'Version 1' }).check()
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/1` }])
  await expect.poll(async () => (await playing())[0]?.seconds).toBeGreaterThanOrEqual(12)
  // no later than playback can have come since
  expect((await playing())[0]!.seconds).toBeLessThan(13 + (performance.now() - sought) / 1_000)
})

test('the keyboard opens, pauses, seeks, switches and closes the player, and the focus returns', async ({
  visitAs,
}) => {
  const { visitor, playing } = await visitListening(visitAs)
  const { page } = visitor
  const download = item(visitor, 'Long tones').getByRole('button', { name: 'Download' })
  // the first time the panel's code is still loading
  for (let round = 1; round <= 2; round++) {
    await download.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Version 1' }).waitFor()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('role')))
      .toBe('menuitem')
    await page.keyboard.press('Enter')
    await expect.poll(playing).toHaveLength(1)
    await expect(player(visitor).getByRole('button', { name: 'Pause' })).toBeFocused()
    await page.keyboard.press('Space')
    await expect.poll(playing).toEqual([])
    await page.keyboard.press('Space')
    await expect.poll(playing).toHaveLength(1)
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => (await playing())[0]?.seconds).toBeGreaterThanOrEqual(5)
    await page.keyboard.press('2')
    await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/2` }])
    await page.keyboard.press('Escape')
    await player(visitor).waitFor({ state: 'detached' })
    await expect(download).toBeFocused()
  }
})

for (const viewport of [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
] as const)
  test(`the player is a low bar until a version is chosen or the lyrics are opened, at ${viewport.width} × ${viewport.height} @night`, async ({
    visitAs,
  }) => {
    const visitor = await visitAs(ada, { viewport })
    const panel = player(visitor)
    const lyrics = panel.getByText('Verse 1\n')
    const height = async (): Promise<number> => (await panel.boundingBox())!.height
    await item(visitor, 'Many verses').getByRole('button', { name: 'Play Many verses' }).click()
    await panel.waitFor()
    expect(await height()).toBe(72)
    await panel.getByRole('button', { name: 'Lyrics' }).click()
    await lyrics.waitFor()
    expect(await height()).toBeLessThan(viewport.height * 0.75)
    await panel.getByRole('button', { name: 'Lyrics' }).click()
    await lyrics.waitFor({ state: 'detached' })
    expect(await height()).toBe(72)
    await open(visitor, 1, 'Many verses')
    await lyrics.waitFor()
  })

test('a song that becomes ready while the page is open can be played without a reload', async ({
  visitAs,
}) => {
  const soon = await request(ada, 'la', 'Ready soon')
  const visitor = await visitAs(ada)
  await item(visitor, 'Ready soon').getByRole('button', { name: 'Top Up' }).waitFor()
  await fulfil(soon)
  await item(visitor, 'Ready soon').getByRole('button', { name: 'Download' }).click()
  await visitor.page.getByRole('menuitem', { name: 'Version 1' }).click()
  await player(visitor).getByRole('heading', { name: 'Ready soon' }).waitFor()
})

test('a playback that fails says whether it is for now or for good in this browser, and continues at its position', async ({
  visitAs,
}) => {
  const { visitor, playing } = await visitListening(visitAs)
  await visitor.page.route('**/versions/1*', (route) => route.abort())
  await open(visitor, 1)
  const panel = player(visitor)
  await panel.getByText('This version cannot be played right now.').waitFor()
  await visitor.page.unrouteAll()
  await visitor.page.route('**/versions/1*', (route) =>
    route.fulfill({ body: 'la', contentType: 'audio/wav' }),
  )
  await panel.getByRole('button', { name: 'Play' }).click()
  await panel.getByText('This browser cannot play this kind of file.').waitFor()
  await visitor.page.unrouteAll()
  await panel.getByRole('button', { name: 'Play' }).click()
  await expect.poll(playing).toHaveLength(1)
  await panel.getByRole('alert').waitFor({ state: 'detached' })
})

test('when the browser blocks autoplay, the panel shows what to press, and that plays', async ({
  visitAs,
}) => {
  const { visitor, playing } = await visitListening(visitAs)
  await visitor.context.addInitScript(() => {
    const play = HTMLMediaElement.prototype.play
    HTMLMediaElement.prototype.play = function () {
      HTMLMediaElement.prototype.play = play
      return Promise.reject(new DOMException('play() failed', 'NotAllowedError'))
    }
  })
  await visitor.page.reload()
  await open(visitor, 1)
  const panel = player(visitor)
  await panel.getByText('Press play to listen.').waitFor()
  expect(await playing()).toEqual([])
  await panel.getByRole('button', { name: 'Play' }).click()
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/1` }])
  await panel.getByText('Press play to listen.').waitFor({ state: 'detached' })
  expect(visitor.errors).toEqual([])
})

test('the louder version plays at the loudness of the other, so that versions can be compared @night', async ({
  visitAs,
}) => {
  const pair = await request(ada, 'la', 'Loud and quiet')
  const loud = tone(30, 440) // plays for as long as the test looks
  const quiet = Buffer.from(loud)
  for (let at = 44; at + 1 < quiet.length; at += 2) quiet.writeInt16LE(quiet.readInt16LE(at) >> 1, at)
  const form = new FormData()
  form.set('version1', new File([loud], 'loud.wav'))
  form.set('version2', new File([quiet], 'quiet.wav'))
  await (await operator()).send('POST', `/api/operator/songs/${pair.id}/fulfil?gift=true`, form)
  await analysed(ada, pair, 1)
  await analysed(ada, pair, 2)

  const { visitor, playing } = await visitListening(visitAs)
  await open(visitor, 1, 'Loud and quiet')
  await expect.poll(async () => (await playing())[0]?.volume).toBeCloseTo(0.5, 1)
  const heard = async () => (await playing())[0]?.peak
  const peak = 9_000 / 32_768 / 2 // that of the quiet tone, and half of the loud one
  await expect.poll(heard).toBeCloseTo(peak, 1)
  await player(visitor).getByRole('radio', { name: 'Version 2' }).check()
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${pair.id}/versions/2`, volume: 1 }])
  await expect.poll(heard).toBeCloseTo(peak, 1)
})

test('without AudioContext a version plays at its own loudness @night', async ({ visitAs }) => {
  const visitor = await visitAs(ada)
  await visitor.context.addInitScript(() => Reflect.deleteProperty(globalThis, 'AudioContext'))
  const playing = await listen(visitor)
  await visitor.page.reload()
  await open(visitor, 1)
  await expect.poll(() => playing(visitor.page)).toMatchObject([{ volume: 1 }])
  expect(visitor.errors).toEqual([])
})

test('a press plays at once, while the code of the player is still loading @night', async ({ visitAs }) => {
  const { visitor, playing } = await visitListening(visitAs)
  const { page } = visitor
  const release = await hold(page, '**/assets/player-*.js')
  await page.reload({ waitUntil: 'commit' })
  await item(visitor, 'Long tones').getByRole('button', { name: 'Play Long tones' }).click()
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/1` }])
  await expect.poll(async () => (await playing())[0]?.seconds).toBeGreaterThan(0)
  await expect(player(visitor)).toHaveCount(0)
  release()
  await player(visitor).getByRole('button', { name: 'Pause' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('the system’s media controls show the song and control it @night', async ({ visitAs }) => {
  const visitor = await visitAs(ada)
  const playing = await listen(visitor)
  const controls = await mediaControls(visitor)
  await visitor.page.reload()
  await open(visitor, 1)
  await expect
    .poll(controls.shown)
    .toMatchObject({ title: 'Long tones', artist: 'Prelude', state: 'playing', position: { duration: 30 } })
  await controls.press('pause')
  await expect.poll(controls.shown).toMatchObject({ state: 'paused' })
  await player(visitor).getByRole('button', { name: 'Play', exact: true }).waitFor()
  await controls.press('seekto', { seekTime: 12 })
  await expect.poll(controls.shown).toMatchObject({ position: { position: 12 } })
  await controls.press('seekforward', { seekOffset: 5 })
  await expect.poll(controls.shown).toMatchObject({ position: { position: 17 } })
  await controls.press('seekbackward')
  await expect.poll(controls.shown).toMatchObject({ position: { position: 7 } })
  await controls.press('play')
  await expect.poll(() => playing(visitor.page)).toHaveLength(1)
  await player(visitor).getByRole('button', { name: 'Close' }).click()
  await expect.poll(controls.shown).toMatchObject({ title: undefined, state: 'none' })
  await controls.press('play')
  expect(await playing(visitor.page)).toEqual([])
})

test('the player controls its own song only, and continues it after another sound @night', async ({
  visitAs,
}) => {
  const { visitor, playing } = await visitListening(visitAs)
  const { page } = visitor
  await open(visitor, 1)
  const slider = player(visitor).getByRole('slider', { name: 'Position' })
  await expect.poll(async () => Number(await slider.getAttribute('max'))).toBeGreaterThan(29_000)
  await slider.fill('12000')
  await expect.poll(async () => (await playing())[0]?.seconds).toBeGreaterThanOrEqual(12)
  await page.getByRole('banner').getByRole('link', { name: 'Prelude' }).click()
  await page.getByRole('button', { name: 'Play sample A' }).first().click()
  await expect.poll(playing).toMatchObject([{ path: expect.stringMatching(/^\/samples\//) }])
  await player(visitor).getByRole('button', { name: 'Play', exact: true }).waitFor()
  const before = (await playing())[0]!.seconds
  const readAt = performance.now()
  await slider.fill('20000')
  await slider.press('ArrowRight')
  // no later than playback can have come since
  expect((await playing())[0]!.seconds).toBeLessThan(before + 1 + (performance.now() - readAt) / 1_000)
  await player(visitor).getByRole('button', { name: 'Play', exact: true }).click()
  await expect.poll(playing).toMatchObject([{ path: `/api/songs/${song.id}/versions/1` }])
  await expect.poll(async () => (await playing())[0]?.seconds).toBeGreaterThanOrEqual(12)
})

test('keys control the player only while the focus is in it; on the slider they move by five seconds @night', async ({
  visitAs,
}) => {
  const { visitor, playing } = await visitListening(visitAs)
  const { page } = visitor
  await item(visitor, 'Long tones').getByRole('button', { name: 'Play Long tones' }).click()
  await expect.poll(playing).toHaveLength(1)
  await item(visitor, 'Long tones').getByRole('button', { name: 'Copy style' }).focus()
  await page.keyboard.press('2')
  await page.keyboard.press('ArrowRight')
  await player(visitor).getByRole('button', { name: 'Pause' }).click()
  const slider = player(visitor).getByRole('slider', { name: 'Position' })
  await expect(player(visitor).getByRole('radio', { name: 'Version 1' })).toBeChecked()
  // seeking needs the duration
  await expect.poll(async () => Number(await slider.getAttribute('max'))).toBeGreaterThan(29_000)
  await slider.fill('0')
  await page.keyboard.press('ArrowRight')
  await expect.poll(async () => Number(await slider.inputValue())).toBe(5_000)
  await page.keyboard.press('2')
  await expect(player(visitor).getByRole('radio', { name: 'Version 2' })).toBeChecked()
})
