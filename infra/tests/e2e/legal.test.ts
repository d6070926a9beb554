import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ProductProcess, startProductProcess } from '../support/product-process.ts'
import { launchBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { visit } from './steps.ts'

/** The legal texts of the operator, on a product of this file that has two of three. */

const TERMS = `# Terms of Songs Ltd
<img src=x onerror="document.title='broken'"> ${'Donaudampfschifffahrtsgesellschaft'.repeat(3)}

## Refunds
- within [three days](https://songs.example/refunds)
- by mail: mailto:help@songs.example
`

let browser: Browser
let product: ProductProcess
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prelude-legal-'))
  const file = (name: string): string => join(folder, name)
  await writeFile(file('terms.txt'), TERMS)
  await writeFile(file('terms.fr.txt'), '# Conditions de Songs Ltd\nEn français.')
  await writeFile(file('imprint.de.txt'), 'Songs Ltd\nLagos')
  browser = await launchBrowser()
  product = await startProductProcess({ TERMS_FILE: file('terms.txt'), IMPRINT_FILE: file('imprint.de.txt') })
})
afterAll(async () => {
  await browser.close()
  await product[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const footer = (page: Page) => page.getByRole('contentinfo')
const level1 = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

test('every page links to the texts that there are; a text that is not set has no page', async () => {
  await using visitor = await visit(browser, { baseURL: product.endpoints.web })
  const { page } = visitor
  for (const path of ['/', '/statement', '/verify/nope', '/s/nope', '/privacy']) {
    await page.goto(path)
    await footer(page).getByRole('link', { name: 'Terms', exact: true }).waitFor()
    expect([path, ...(await footer(page).getByRole('link').allTextContents())]).toEqual([
      path,
      'Terms',
      'Imprint',
    ])
  }
  await level1(page, 'Page not found').waitFor()
  await page.goto('/s/nope')
  await footer(page).getByRole('link', { name: 'Terms' }).click()
  await level1(page, 'Terms of Songs Ltd').waitFor()
  // the app opens its own pages without a reload: nothing that plays or is sent ends
  await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }))
  await footer(page).getByRole('link', { name: 'Imprint' }).click()
  await level1(page, 'Imprint').waitFor()
  expect(await page.evaluate(() => 'sameDocument' in globalThis)).toBe(true)
  expect(await page.title()).toBe('Imprint · Prelude')
  expect(
    await page.getByText('Songs Ltd\nLagos').evaluate((text) => text.closest<HTMLElement>('[lang]')?.lang),
  ).toBe('de')
})

test('a text has headings, lists and links, shows HTML as it is written, and follows the language of the app', async () => {
  await using visitor = await visit(browser, { viewport: { width: 360, height: 640 } })
  const { page } = visitor
  await page.goto(`${product.endpoints.web}/terms`)
  await level1(page, 'Terms of Songs Ltd').waitFor()
  await page.getByRole('heading', { level: 2, name: 'Refunds' }).waitFor()
  const main = page.getByRole('main')
  expect(await main.getByRole('listitem').allTextContents()).toEqual([
    'within three days',
    'by mail: help@songs.example',
  ])
  const links = await main.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
  expect(links).toEqual(['https://songs.example/refunds', 'mailto:help@songs.example'])
  await page.getByText('<img src=x').waitFor()
  expect(await main.locator('img').count()).toBe(0)
  expect(await page.title()).toBe('Terms · Prelude')
  expect(await inspect(visitor, 'terms')).toEqual([])

  await page.getByRole('button', { name: 'Français' }).click()
  await level1(page, 'Conditions de Songs Ltd').waitFor()
  await footer(page).getByRole('link', { name: 'Mentions légales' }).waitFor()
  await page.getByRole('button', { name: 'Português' }).click()
  await level1(page, 'Terms of Songs Ltd').waitFor()
  expect(await main.getByText('Refunds').evaluate((text) => text.closest<HTMLElement>('[lang]')?.lang)).toBe(
    'en',
  )
  expect(visitor.errors).toEqual([])
})

test('on paper there is the text alone, in black', async () => {
  await using visitor = await visit(browser)
  const { page } = visitor
  await page.goto(`${product.endpoints.web}/terms`)
  const text = page.getByText('within three days')
  await text.waitFor()
  await page.evaluate(() => (document.documentElement.dataset['theme'] = 'dark'))
  await page.emulateMedia({ media: 'print' })
  expect(await footer(page).isVisible()).toBe(false)
  expect(await page.getByRole('banner').isVisible()).toBe(false)
  expect(await text.evaluate((one) => getComputedStyle(one).color)).toBe('rgb(0, 0, 0)')
})
