import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { ServerMissing } from '../../servers/server-missing.ts'
import { whyMissing } from '../../support/with-server.ts'
import { CHROMIUM_MISSING, wholeChromium } from '../browser.ts'
import { chromium } from './chromium-tab.ts'
import { findFirefox, startFirefox } from './firefox.ts'
import { playableIn, playedIn } from './playable.ts'
import type { Tab } from './tab.ts'
import { drivenEngine } from './webdriver-tab.ts'
import { findWebKit, startWebKit } from './webkit.ts'
import { newcomer, tone } from '../studio.ts'

/** The main flow in each engine, without a flag that allows autoplay. */

const studio = inject('studio')

const findChromium = async (): Promise<void> => {
  if (wholeChromium() === undefined) throw new ServerMissing(CHROMIUM_MISSING)
}

const ENGINES = [
  { name: 'Chromium', find: findChromium, engine: chromium },
  { name: 'Firefox', find: findFirefox, engine: drivenEngine(startFirefox) },
  { name: 'WebKit', find: findWebKit, engine: drivenEngine(startWebKit) },
]

async function signIn(tab: Tab, who: { email: string; name: string }): Promise<void> {
  await tab.inPopup(
    () => tab.press('button', 'Try Now'),
    async () => {
      await tab.type('textbox', 'Email', who.email)
      await tab.type('textbox', 'Name', who.name)
      await tab.press('button', 'Continue')
    },
  )
  await tab.see('region', 'My Album')
}

async function hearSample(tab: Tab): Promise<void> {
  expect(await tab.playingAt()).toBeNull()
  await tab.press('button', 'Play sample A of Temi Ade')
  await expect.poll(() => tab.playingAt()).toBeGreaterThan(0.5)
  await tab.press('button', /sample A of Temi Ade/)
  await expect.poll(() => tab.playingAt()).toBeNull()
}

async function topUp(tab: Tab): Promise<void> {
  await tab.press('button', /^0\.00/)
  await tab.type('spinbutton', 'Amount', '25')
  await tab.press('button', 'Pay')
  await tab.press('button', /^Pay \D*25/)
  // the page is mounted again once it is known who is signed in
  await tab.see('button', /^25\.00/)
  await tab.press('link', 'Go Home')
}

async function submit(tab: Tab, style: string): Promise<void> {
  await tab.type('textbox', 'Lyrics', 'Carry me over the third mainland')
  await tab.type('textbox', 'Style', style)
  await tab.press('button', 'Create')
  await tab.see('status', /^Request submitted\. Request ID: /)
}

async function deliver(desk: Tab, style: string, files: readonly [string, string]): Promise<void> {
  await desk.choose(new RegExp(style))
  for (const [index, file] of files.entries()) await desk.attach(`Version ${index + 1}`, file)
  await desk.press('button', 'Upload')
  await desk.see('status', /^Both versions uploaded successfully/)
}

async function listen(tab: Tab, style: string): Promise<void> {
  expect(await tab.playingAt()).toBeNull()
  await tab.press('button', `Play ${style}`)
  await tab.see('button', 'Pause')
  await expect.poll(() => tab.playingAt()).toBeGreaterThan(0.5)
  await tab.key('slider', 'Position', 'ArrowRight')
  await expect.poll(() => tab.playingAt()).toBeGreaterThan(5)
}

describe.each(ENGINES)('in $name', async ({ name, find, engine }) => {
  const missing = await whyMissing(name, find)
  test.skipIf(missing !== null)('a song from its sample to the saved file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prelude-takes-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const take = async (file: string, seconds: number): Promise<string> => {
      await writeFile(join(folder, file), tone(seconds))
      return join(folder, file)
    }
    const tab = await engine.open()
    const desk = await engine.open()
    await tab.open(studio.web)
    await hearSample(tab)
    await signIn(tab, newcomer())
    await topUp(tab)
    const id = randomUUID().slice(0, 8)
    const [form, chunks] = [`In one form ${id}`, `In chunks ${id}`]
    await submit(tab, form)
    await submit(tab, chunks)

    const { email, password } = studio.operator
    await desk.open(studio.web)
    await signIn(desk, { email, name: 'The Operator' })
    await desk.type('textbox', 'Admin password', password)
    await desk.press('button', 'Unlock')
    const small = await take('small.wav', 12)
    await deliver(desk, form, [small, await take('small too.wav', 12)])
    await tab.see('button', `Play ${form}`)
    const large = await take('large.wav', 60) // plays for as long as the test listens
    await deliver(desk, chunks, [large, small])
    await listen(tab, chunks)
    const file = await readFile(large)
    expect(await tab.download(() => tab.press('link', 'Save'), file.length)).toEqual(file)
  })

  test.skipIf(missing !== null)('formats play that docs/audio.md says', async () => {
    const tab = await engine.open()
    const played = await playedIn(async (url) => {
      await tab.open(url)
      await tab.press('button', 'Play')
    })
    expect(played).toEqual(playableIn(name))
  })
})
