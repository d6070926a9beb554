import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { BrowserContextOptions } from '@playwright/test'
import { build, preview, type PreviewServer } from 'vite'
import { expect, test, type OpenVisit } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { message, type Visit, WITH_MOTION } from './steps.ts'

/** The components alone, in a real browser: the page /ui of `npm run dev -w web`, from a development build, without a service. */

const WEB = resolve(import.meta.dirname, '../../../web')

let folder: string
let server: PreviewServer
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prelude-gallery-'))
  process.env['NODE_ENV'] ??= 'development' // else it is a production build, without the gallery
  const options = { configFile: `${WEB}/vite.config.ts`, mode: 'development', logLevel: 'error' } as const
  const outDir = join(folder, 'dist')
  await build({ ...options, build: { outDir, minify: false } })
  server = await preview({ ...options, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } })
})
test.afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

async function visitGallery(visit: OpenVisit, options: BrowserContextOptions = {}) {
  const visitor = await visit({ baseURL: server.resolvedUrls?.local[0] ?? '', ...options })
  await visitor.page.route(
    ({ pathname }) => pathname.startsWith('/api/'),
    (route) =>
      route.fulfill(
        route.request().url().endsWith('/promise') ? { json: { readyBy: Date.now() } } : { status: 204 },
      ),
  )
  await visitor.page.goto('/ui')
  await visitor.page.getByRole('heading', { level: 1, name: 'Components' }).waitFor()
  return visitor
}

const shelf = ({ page }: Visit, name: string | RegExp) => page.getByRole('region', { name })

test('every component is on the page @night', () => {
  const gallery = readFileSync(`${WEB}/src/gallery/gallery.tsx`, 'utf8')
  const files = globSync('*.tsx', { cwd: `${WEB}/src/ui` })
  expect(files.length).toBeGreaterThan(8)
  expect(files.filter((file) => !gallery.includes(`'../ui/${basename(file)}'`))).toEqual([])
})

test('every component in every state has no accessibility finding, narrow and wide, light and dark', async ({
  visit,
}) => {
  const visitor = await visitGallery(visit)
  expect(await inspect(visitor, 'components')).toEqual([])
  expect(visitor.errors).toEqual([])
})

test('a menu works by keyboard and returns the focus @night', async ({ visit }) => {
  const visitor = await visitGallery(visit)
  const { keyboard } = visitor.page
  const button = shelf(visitor, 'What opens').getByRole('button', { name: 'Menu' })
  const entry = (name: string) => visitor.page.getByRole('menuitem', { name })
  await button.focus()
  await keyboard.press('ArrowDown')
  for (const [key, name] of [
    [null, 'Version 1'],
    ['ArrowDown', 'Version 2'],
    ['End', 'Without a dot'],
    ['ArrowDown', 'Version 1'],
    ['ArrowUp', 'Without a dot'],
    ['Home', 'Version 1'],
  ] as const) {
    if (key) await keyboard.press(key)
    await expect(entry(name)).toBeFocused()
  }
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  await keyboard.press('Escape')
  await visitor.page.getByRole('menu').waitFor({ state: 'detached' })
  await expect(button).toBeFocused()
  await keyboard.press('Enter')
  await expect(visitor.page.getByRole('menuitemcheckbox', { name: 'On' })).toBeChecked()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await message(visitor, 'status', 'Version 2').waitFor()
  await expect(button).toBeFocused()
  await keyboard.press('Enter')
  await visitor.page.mouse.click(5, 5)
  await visitor.page.getByRole('menu').waitFor({ state: 'detached' })
})

test('a dialog has a name, traps the focus, and returns it when it closes @night', async ({ visit }) => {
  const visitor = await visitGallery(visit)
  const { keyboard } = visitor.page
  const button = shelf(visitor, 'What opens').getByRole('button', { name: 'Dialog' })
  const dialog = visitor.page.getByRole('dialog', { name: 'Coming Soon' })
  await button.press('Enter')
  await dialog.waitFor()
  for (let presses = 0; presses < 4; presses++) {
    await keyboard.press('Tab')
    await expect.poll(() => dialog.evaluate((it) => it.contains(document.activeElement))).toBe(true)
  }
  await keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect(button).toBeFocused()
})

test('a message has its role, is shown alone, and can be dismissed; progress stays until it ends', async ({
  visit,
}) => {
  const visitor = await visitGallery(visit)
  const { page } = visitor
  const press = (name: string) => shelf(visitor, 'What opens').getByRole('button', { name }).click()
  await press('Message: status')
  await message(visitor, 'status', 'Request submitted.').waitFor()
  await press('Message: alert')
  await press('Message: alert')
  await message(visitor, 'status', 'Request submitted.').waitFor({ state: 'detached' })
  const alert = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Dismiss' }) })
  await expect(alert).toHaveCount(1)
  await alert.getByRole('button', { name: 'Dismiss' }).press('Enter')
  await alert.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.matches('body'))).toBe(false)
  await press('Message: progress')
  await message(visitor, 'status', 'Uploading...').waitFor()
  await press('Message: done')
  await message(visitor, 'status', 'Uploading...').waitFor({ state: 'detached' })
})

test('a busy button looks disabled, is announced as disabled, and keeps the focus @night', async ({
  visit,
}) => {
  const visitor = await visitGallery(visit)
  const button = shelf(visitor, 'Buttons').getByRole('button', { name: 'Busy' })
  await button.focus()
  await expect(button).toBeFocused()
  await expect(button).toBeDisabled()
})

test('data that is awaited says so, an attempt that failed says why, and the last one offers another @night', async ({
  visit,
}) => {
  const visitor = await visitGallery(visit)
  const data = shelf(visitor, 'Data that could not be loaded')
  await expect(data.getByRole('alert')).toContainText('The server does not answer.')
  await data.getByRole('button', { name: 'Try again' }).click()
  await expect(data.getByRole('status')).toHaveText('Loading…')
  await expect(data.getByRole('alert')).toHaveCount(0)
  await data.getByRole('button', { name: 'Fail' }).click()
  await expect(data.getByRole('status')).toHaveText('The server does not answer.')
})

test('the reel turns, but not under reduced motion @night', async ({ visit }) => {
  const turning = (visitor: Visit): Promise<number> =>
    visitor.page.evaluate(
      () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
    )
  const moving = await visitGallery(visit, WITH_MOTION)
  await expect.poll(() => turning(moving)).toBeGreaterThan(0)
  const still = await visitGallery(visit)
  expect(await turning(still)).toBe(0)
})

test('the played section of a waveform has the colour of its version, in both themes @night', async ({
  visit,
}) => {
  const visitor = await visitGallery(visit, { colorScheme: 'light' })
  const { page } = visitor
  const waves = shelf(visitor, /^Waveform/).locator('canvas')
  /** The number of drawn pixels in the colour of this name. */
  const share = (index: number, name: string): Promise<number> =>
    waves.nth(index).evaluate((it, token) => {
      const canvas = it as HTMLCanvasElement
      const context = canvas.getContext('2d')!
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
      const colour = getComputedStyle(canvas).getPropertyValue(token).trim()
      const wanted = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
      let [drawn, found] = [0, 0]
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] !== 255) continue
        drawn++
        if (wanted.every((value, channel) => data[at + channel] === value)) found++
      }
      return found / drawn
    }, name)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => share(0, '--soft')).toBeGreaterThan(0.95)
    expect(await share(1, '--record')).toBeGreaterThan(0.2)
    expect(await share(1, '--teal')).toBe(0)
    expect(await share(2, '--teal')).toBeGreaterThan(await share(1, '--record'))
  }
})

test('the theme follows the system until the person chooses one, and the choice is kept @night', async ({
  visit,
}) => {
  const visitor = await visitGallery(visit, { colorScheme: 'light' })
  const { page } = visitor
  const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await ground()
  // the system changes while the page is open
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.getByRole('banner').getByRole('button', { name: 'Use light colours' }).waitFor()
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByRole('banner').getByRole('button', { name: 'Use dark colours' }).click()
  await expect.poll(ground).not.toBe(light)
  const dark = await ground()
  await page.reload()
  await page.getByRole('banner').getByRole('button', { name: 'Use light colours' }).waitFor()
  expect(await ground()).toBe(dark)
})
