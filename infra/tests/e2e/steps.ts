import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'

/** Actions of people in the browser, by roles and accessible names only. */

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Console errors and uncaught exceptions. */
  readonly errors: string[]
}

/** Options of a context that differ from those of all tests. */
export const WITH_MOTION = { reducedMotion: 'no-preference' } as const

export const WITH_WORKER = { serviceWorkers: 'allow' } as const

/** Submits the identity provider's form, in a popup or on the page. */
export async function identify(page: Page, who: { email: string; name: string }): Promise<void> {
  await page.locator('input[name=email]').fill(who.email)
  await page.locator('input[name=name]').fill(who.name)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Signs in from the landing page by the identity provider's popup. */
export async function signIn({ page }: Visit, who: { email: string; name: string }): Promise<void> {
  await page.goto('/')
  const popupOpens = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Try Now' }).first().click()
  const popup = await popupOpens
  await identify(popup, who)
  await page.getByRole('region', { name: 'My Album' }).waitFor()
}

export async function requestSong({ page }: Visit, lyrics: string, style: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Lyrics' }).fill(lyrics)
  await page.getByRole('textbox', { name: 'Style' }).fill(style)
  await page.getByRole('button', { name: 'Create' }).click()
}

/** The browser asks whether to leave the page, which stays. */
export async function expectAskedBeforeLeaving(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog')
  const leaving = page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  await leaving
}

/** Holds requests to this address until the answer is called, which lets them go on. */
export async function hold(page: Page, address: string | RegExp): Promise<() => void> {
  const released = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await released.promise
    await route.continue()
  })
  return released.resolve
}

export const album = ({ page }: Visit) => page.getByRole('region', { name: 'My Album' })

export const item = (visitor: Visit, text: string) =>
  album(visitor).getByRole('listitem').filter({ hasText: text })

/** Chooses an entry of the menu "More" of a song. */
export async function choose(within: Locator, name: string): Promise<void> {
  await within.getByRole('button', { name: 'More', exact: true }).click()
  await entry(within, name).click()
}

export const entry = (within: Locator, name: string): Locator =>
  within
    .getByRole('menuitem', { name, exact: true })
    .or(within.getByRole('menuitemcheckbox', { name, exact: true }))

export async function topUp({ page }: Visit, amount: string, outcome: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Enter Credit Amount' })
  await dialog.getByRole('spinbutton', { name: 'Amount' }).fill(amount)
  await dialog.getByRole('button', { name: 'Pay' }).click()
  await page.locator(`button[name=outcome][value=${outcome}]`).click()
}

export async function unlock({ page }: Visit, password: string): Promise<void> {
  const region = page.getByRole('region', { name: 'Operator' })
  await region.getByLabel('Admin password').fill(password)
  await region.getByRole('button', { name: 'Unlock' }).click()
}

export const banner = ({ page }: Visit) => page.getByRole('banner')

export const balance = (visitor: Visit) => banner(visitor).getByRole('button', { name: /\d+\.\d\d|Loading/ })

export const player = ({ page }: Visit) => page.getByRole('region', { name: 'Player' })

/** A message to the person, by its full text. */
export const message = ({ page }: Visit, role: 'status' | 'alert', text: string | RegExp) =>
  page.getByRole(role).filter({ hasText: text }).first()

/** Tracks the audio elements of the page, which are not in the document. Call it before the page opens. */
export async function listen({ context }: Visit): Promise<(page: Page) => Promise<Playing[]>> {
  await context.addInitScript(() => {
    const played = new Set<HTMLMediaElement>()
    Object.assign(globalThis, { played })
    const createGain = BaseAudioContext.prototype.createGain
    BaseAudioContext.prototype.createGain = function () {
      const gain = createGain.call(this)
      const analyser = this.createAnalyser()
      analyser.fftSize = 8192
      gain.connect(analyser)
      Object.assign(globalThis, { gain, analyser })
      return gain
    }
    const play = HTMLMediaElement.prototype.play
    HTMLMediaElement.prototype.play = function () {
      played.add(this)
      return play.call(this)
    }
  })
  return (page) =>
    page.evaluate(() => {
      const page = globalThis as unknown as {
        played: Set<HTMLMediaElement>
        gain?: GainNode
        analyser?: AnalyserNode
      }
      const { played, gain } = page
      const [first] = played
      // the page of a link has no GainNode
      if (!page.analyser && first && 'AudioContext' in globalThis) {
        const context = new AudioContext()
        page.analyser = new AnalyserNode(context, { fftSize: 8192 })
        context.createMediaElementSource(first).connect(page.analyser).connect(context.destination)
      }
      const { analyser } = page
      const samples = new Float32Array(analyser?.fftSize ?? 0)
      analyser?.getFloatTimeDomainData(samples)
      const rises = [...samples.keys()].filter((n) => n > 0 && samples[n - 1]! < 0 && samples[n]! >= 0)
      const seconds = ((rises.at(-1) ?? 0) - (rises[0] ?? 0)) / (analyser?.context.sampleRate ?? 1)
      return (
        [...played]
          // one that begins to load has no address yet
          .filter((sound) => !sound.paused && sound.currentSrc !== '')
          .map((sound) => ({
            path: new URL(sound.currentSrc).pathname,
            search: new URL(sound.currentSrc).search,
            seconds: sound.currentTime,
            volume: sound.volume * (gain?.gain.value ?? 1),
            peak: Math.max(...samples),
            hertz: seconds > 0 ? (rises.length - 1) / seconds : 0,
          }))
      )
    })
}

export interface Playing {
  readonly path: string
  readonly search: string
  readonly seconds: number
  /** Of the element and the gain behind it; 1 is the file's own. */
  readonly volume: number
  /** Of the samples that sound now, where they pass a GainNode. */
  readonly peak: number
  /** Of the tone that sounds now, where it passes a GainNode. */
  readonly hertz: number
}

/** Records what the page tells the system's media controls, and presses them. Call it before the page opens. */
export async function mediaControls({ context, page }: Visit) {
  await context.addInitScript(() => {
    const handlers: Record<string, MediaSessionActionHandler | null> = {}
    const shown: { position?: MediaPositionState | undefined } = {}
    Object.assign(globalThis, { mediaHandlers: handlers, mediaShown: shown })
    const { setActionHandler, setPositionState } = MediaSession.prototype
    MediaSession.prototype.setActionHandler = function (action, handler) {
      handlers[action] = handler
      setActionHandler.call(this, action, handler)
    }
    MediaSession.prototype.setPositionState = function (state) {
      shown.position = state
      setPositionState.call(this, state)
    }
  })
  return {
    shown: () =>
      page.evaluate(() => {
        const { metadata, playbackState } = navigator.mediaSession
        const { position } = (globalThis as unknown as { mediaShown: { position?: MediaPositionState } })
          .mediaShown
        return { title: metadata?.title, artist: metadata?.artist, state: playbackState, position }
      }),
    press: (action: MediaSessionAction, details: object = {}) =>
      page.evaluate(
        ([name, more]) =>
          (
            globalThis as unknown as { mediaHandlers: Record<string, MediaSessionActionHandler> }
          ).mediaHandlers[name]?.({ action: name, ...more }),
        [action, details] as const,
      ),
  }
}
