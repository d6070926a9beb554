import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ProductProcess } from '../system/product-process.ts'

/** What people do in the browser, in the words of the page: roles and accessible names only. */

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Console errors and uncaught exceptions, save the network line that Chromium logs for a visitor's 401. */
  readonly errors: string[]
}

/** A browser of one's own: cookies, storage and viewport. */
export async function visit(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 401/.test(message.text())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  return { context, page, errors, [Symbol.asyncDispose]: () => context.close() }
}

/** From the landing page through the popup of the identity provider to home. */
export async function signIn(
  { page }: Visit,
  product: ProductProcess,
  who: { email: string; name: string },
): Promise<void> {
  await page.goto(product.endpoints.web)
  const popupOpens = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Try Now' }).first().click()
  const popup = await popupOpens
  await popup.locator('input[name=email]').fill(who.email)
  await popup.locator('input[name=name]').fill(who.name)
  await popup.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('region', { name: 'My Album' }).waitFor()
}

export async function requestSong({ page }: Visit, lyrics: string, style: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Lyrics' }).fill(lyrics)
  await page.getByRole('textbox', { name: 'Style' }).fill(style)
  await page.getByRole('button', { name: 'Create' }).click()
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
