import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { BrowserContextOptions } from '@playwright/test'
import { build, preview, type PreviewServer } from 'vite'
import { expect, test, type OpenVisit } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { message, type Visit } from './steps.ts'

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
