import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

/** The legal texts of the operator, on a product of this file that has two of three. */

const TERMS = `# Terms of Songs Ltd

## Refunds
- within [three days](https://songs.example/refunds)
- by mail: mailto:help@songs.example
`

test.use({
  settings: [
    async ({ browserName: _browser }, use) => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'prelude-legal-'))
      const file = (name: string): string => join(folder.path, name)
      await writeFile(file('terms.txt'), TERMS)
      await writeFile(file('imprint.de.txt'), 'Songs Ltd\nLagos')
      await use({ TERMS_FILE: file('terms.txt'), IMPRINT_FILE: file('imprint.de.txt') })
    },
    { scope: 'worker' },
  ],
})

const footer = (page: Page) => page.getByRole('contentinfo')
const level1 = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

test('every page links to the texts that there are; a text that is not set has no page @night', async ({
  visit,
}) => {
  const visitor = await visit()
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

test('on paper there is the text alone, in black @night', async ({ visit }) => {
  const visitor = await visit()
  const { page } = visitor
  await page.goto('/terms')
  const text = page.getByText('within three days')
  await text.waitFor()
  await page.evaluate(() => (document.documentElement.dataset['theme'] = 'dark'))
  await page.emulateMedia({ media: 'print' })
  await expect(footer(page)).toBeHidden()
  await expect(page.getByRole('banner')).toBeHidden()
  expect(await text.evaluate((one) => getComputedStyle(one).color)).toBe('rgb(0, 0, 0)')
})
