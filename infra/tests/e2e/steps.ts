import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import type { ProductProcess } from '../support/product-process.ts'
import { traceFailure } from './failure-traces.ts'

/** Actions of people in the browser, by roles and accessible names only. */

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Console errors and uncaught exceptions. */
  readonly errors: string[]
}

export const WITH_MOTION = { reducedMotion: 'no-preference' } as const

export const WITH_WORKER = { serviceWorkers: 'allow' } as const

/**
 * A browser context with its own cookies, storage and viewport. Unless they are among the options it is without the service
 * worker (what that answers cannot be held or changed, and it would fetch the whole app for each context) and prefers reduced
 * motion (animations take processor time in every open page).
 */
export async function visit(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit & AsyncDisposable> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    serviceWorkers: 'block',
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(20_000)
  const close = await traceFailure(context)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  const leave = async (): Promise<void> => {
    // a request that a test answers may still be in flight; a tab that the test closed has none
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await close()
  }
  return { context, page, errors, [Symbol.asyncDispose]: leave }
}

/** Opens the home page with a session from the API. */
export async function visitAs(
  browser: Browser,
  web: string,
  { cookie }: Person,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit & AsyncDisposable> {
  const visitor = await visit(browser, { baseURL: web, ...options })
  const [name = '', ...value] = cookie.split('=')
  await visitor.context.addCookies([{ name, value: value.join('='), url: web }])
  await visitor.page.goto(web)
  // polled each frame: a locator polls only every half second after the first tries
  await visitor.page.waitForFunction(() => document.querySelector('section[aria-label="My Album"]'))
  return visitor
}

/** Submits the identity provider's form, in a popup or on the page. */
export async function identify(page: Page, who: { email: string; name: string }): Promise<void> {
  await page.locator('input[name=email]').fill(who.email)
  await page.locator('input[name=name]').fill(who.name)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Signs in from the landing page by the identity provider's popup. */
export async function signIn(
  { page }: Visit,
  { endpoints }: Pick<ProductProcess, 'endpoints'>,
  who: { email: string; name: string },
): Promise<void> {
  await page.goto(endpoints.web)
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

export const album = ({ page }: Visit) => page.getByRole('region', { name: 'My Album' })

export const item = (visitor: Visit, text: string) =>
  album(visitor).getByRole('listitem').filter({ hasText: text })

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

export const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((one) => one === document.activeElement).catch(() => false)

/** Tracks the audio elements of the page, which are not in the document. Call it before the page opens. */
export async function listen({ context }: Visit): Promise<(page: Page) => Promise<Playing[]>> {
  await context.addInitScript(() => {
    const played = new Set<HTMLMediaElement>()
    Object.assign(globalThis, { played })
    const createGain = BaseAudioContext.prototype.createGain
    BaseAudioContext.prototype.createGain = function () {
      const gain = createGain.call(this)
      const analyser = this.createAnalyser()
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
      const { played, gain, analyser } = globalThis as unknown as {
        played: Set<HTMLMediaElement>
        gain?: GainNode
        analyser?: AnalyserNode
      }
      const samples = new Float32Array(analyser?.fftSize ?? 0)
      analyser?.getFloatTimeDomainData(samples)
      return [...played]
        .filter((sound) => !sound.paused)
        .map((sound) => ({
          path: new URL(sound.currentSrc).pathname,
          seconds: sound.currentTime,
          volume: sound.volume * (gain?.gain.value ?? 1),
          peak: Math.max(...samples),
        }))
    })
}

export interface Playing {
  readonly path: string
  readonly seconds: number
  /** Of the element and the gain behind it; 1 is the file's own. */
  readonly volume: number
  /** Of the samples that sound now, where they pass a GainNode. */
  readonly peak: number
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
