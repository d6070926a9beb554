import { type BrowserContextOptions, expect, type Page, test as base } from '@playwright/test'
import { type Person, unlockedOperator } from '../support/person.ts'
import { type ProductProcess, startProductProcess } from '../support/product-process.ts'
import { installedChromium } from './browser.ts'
import type { Visit } from './steps.ts'
import { studio, useProduct } from './studio.ts'

export { expect }

export type OpenVisit = (options?: BrowserContextOptions) => Promise<Visit>
export type OpenVisitAs = (who: Pick<Person, 'cookie'>, options?: BrowserContextOptions) => Promise<Visit>

interface OfTest {
  /** Opens a browser context with its own cookies and storage, which closes when the test ends. */
  readonly visit: OpenVisit
  /** Opens the home page with a session from the API. */
  readonly visitAs: OpenVisitAs
  /** Opens the operator's home in a new, unlocked session. */
  readonly visitOperator: OpenVisit
}

interface OfWorker {
  /** Settings of the product. A file that sets them, or stops its product, has a worker and a product of its own. */
  readonly settings: Record<string, string>
  /** Of a product whose clock `pass` moves. */
  readonly clock: boolean
  /** One running product for all files of a worker: `studio()` has its addresses. */
  readonly product: ProductProcess
}

const withFixtures = base.extend<OfTest, OfWorker>({
  settings: [
    { RATE_LIMITS: 'off', TRUSTED_COUNTRY_HEADER: 'cf-ipcountry' },
    { scope: 'worker', option: true },
  ],
  clock: [false, { scope: 'worker', option: true }],
  product: [
    async ({ settings, clock }, use) => {
      await using product = await startProductProcess(settings, { clock })
      useProduct(product)
      await use(product)
    },
    { scope: 'worker', auto: true },
  ],
  baseURL: ({ product }, use) => use(product.endpoints.web),
  visit: async ({ browser }, use) => {
    const opened: Visit[] = []
    await use(async (options) => {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      opened.push({ context, page, errors: errorsOf(page) })
      return opened.at(-1)!
    })
    for (const { context, page } of opened) {
      // a request that a test answers may still be in flight; a tab that the test closed has none
      if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    }
  },
  visitAs: async ({ visit }, use) =>
    use(async (who, options) => {
      const visitor = await visit(options)
      await signInWith(visitor, who)
      await visitor.page.goto('/')
      await visitor.page.getByRole('region', { name: 'My Album' }).waitFor()
      return visitor
    }),
  visitOperator: async ({ product, visitAs }, use) =>
    use(async (options) => {
      const visitor = await visitAs(await unlockedOperator(product), options)
      await visitor.page
        .getByRole('region', { name: 'Operator' })
        .getByRole('combobox', { name: 'Song' })
        .waitFor()
      return visitor
    }),
})

/** Without a Chromium every test is skipped. */
export const test =
  installedChromium() === undefined ? Object.assign(withFixtures.skip, withFixtures) : withFixtures

/** Console errors and uncaught exceptions. */
function errorsOf(page: Page): string[] {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  return errors
}

/** Gives the context the session of a person who signed in over the API. */
export async function signInWith({ context }: Visit, { cookie }: Pick<Person, 'cookie'>): Promise<void> {
  const [name = '', ...value] = cookie.split('=')
  await context.addCookies([{ name, value: value.join('='), url: studio().web }])
}
